"""Play one player against another, colours alternating, and count.

    python -m experiments.match backup=accelerated backup.decay=0.999 budget.iterations=1000 games=100
    python -m experiments.match playout=minimax player@opponent.player=random
    python -m experiments.match backup=accelerated backup@opponent.backup=discounted opponent.backup.decay=0.9999
    python -m experiments.match -m backup=average,minimax,accelerated playout=uniform,minimax
    python -m experiments.match experiment=main
    python -m experiments.match player@opponent.player=gtp 'opponent.player.command="gtp-rhino -l 1"' games=10

The groups at the top configure the player; ``group@opponent.group=choice`` and ``opponent.group.key=value`` the
opponent, who is plain UCT with the player's budget if nothing is said. Every move is on disk before its game goes on:
the same command goes on where it was, and more ``games`` extend a finished match. ``sprt=[0,10]`` ends a match once it
is clear which of two Elo differences holds. A sweep (``-m``) ends with a table
and a plot of its matches.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.analysis.plots import match_panel
from experiments.analysis.result_table import match_cells, match_measure
from experiments.app.command import Command, Run
from experiments.config.command_options import MatchKeys
from experiments.config.schema import (
    OF_EXPERIMENTS,
    Checked,
    Given,
    Plain,
    Study,
    as_json,
    check_policies,
    game_value,
    named,
    top_keys,
)
from experiments.config.validation import shown, typed
from experiments.players.contract import GROUPS, keys_under
from experiments.players.registry import (
    check_matched,
    check_no_idle_groups,
    check_player,
    kind_of,
    label,
    player_of,
)
from experiments.runs.match_work import UNMEASURED, MatchWork
from experiments.runs.presentation import Presentation
from experiments.runs.run_directory import SUMMARY, read_summary
from experiments.runs.sequential import SPRT, check_test, decided, test_told
from experiments.terminal.console import bar, counted, here, say, shortened, show, stop_on_interrupt
from gpumcts.errors import BadInput
from gpumcts.kernels import engines

PLAYOUTS_A_SECOND = 1e5  # about: budgets in seconds beside those in iterations, to tell how long a sweep takes
FAR_OFF = 1.2  # times the seconds asked for, or those of the other side: from there on a match says so
MAX_REASONS = 5  # of forfeits that are shown; the summary has all
NO_DIGEST = (
    "player=gtp or player=uci is an external engine: nobody can repeat its games, which depend on its clock and state"
)


MATCH_GROUPS = ("game", "player", *GROUPS, "opponent", "engine")


def match_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.match."""
    keys = top_keys(MatchKeys, plain, (*MATCH_GROUPS, *OF_EXPERIMENTS))
    check_test(keys.sprt)
    study = typed(Study, {key: plain[key] for key in Study._fields if key in plain})
    if not isinstance(plain["opponent"], Mapping):
        choice = shown(plain["opponent"])
        raise BadInput(f"opponent={choice}: choose its parts, the player as player@opponent.player={choice}")
    game, game_identity = game_value(plain)
    if game.PLAYERS != 2:
        raise BadInput(f"game={game_identity['name']} is for one player; a match takes a game for two")
    player, opponent = player_of(plain), player_of(plain["opponent"], "opponent.")
    check_policies(game, player.policy)
    with keys_under("opponent."):
        check_policies(game, opponent.policy)
    check_matched(player, opponent)
    check_player(game, player)
    check_player(game, opponent, "opponent.")
    if given is not None:
        check_no_idle_groups(plain, given)
    identity = {"game": game_identity, **player.identity, "opponent": opponent.identity, "seed": keys.seed}
    slug = f"{game_identity['name']} {label(player.identity)} vs {label(opponent.identity)}"
    engine = named(plain["engine"], "engine", engines.NAMES)
    return Checked(
        as_json(identity),
        slug,
        keys,
        game=game,
        player=player,
        opponent=opponent,
        engine=engine,
        study=study,
        trees_at_once=min(keys.games, keys.games_in_flight),
    )


def prepare(config: Checked) -> None:
    """Refuse an absent engine or program, a budget that does not fit, and a player that the game is not for."""
    from experiments.players import preflight

    preflight.check_engine(config)
    preflight.check_memory(config)
    preflight.check_missing_programs(config)
    preflight.check_chance(config)
    preflight.check_programs(config)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Play the match, or what is left of it; returns the summary."""
    from experiments.players.player_factory import build_players
    from gpumcts.match.progress import Progress
    from gpumcts.match.resume import is_over
    from gpumcts.match.runner import play_match
    from gpumcts.match.sequential import sequential_test

    title = f"[{run.number}/{run.of}] {run.label}" if run.of > 1 else config.slug
    plies = _plies(config)
    with stop_on_interrupt("stopping; every move played is kept ...") as stop, bar(title, plies) as shown:
        test = sequential_test(config.keys.sprt)
        over = is_over(run.folder, config.keys.games, test)
        pair = build_players(config, run.folder, lambda done: shown.advance(done), over, stop)
        done = MatchWork(run.folder, pair.by_side)

        def on_progress(progress: Progress) -> None:
            done.note(progress)
            shown.expect(progress.moves_in_all(plies / config.keys.games))
            if not progress.moves:
                shown.begin_at(progress.earlier)
            shown.reach(progress.earlier + progress.moves)  # players without a search tell of no progress
            shown.note(standing(progress))

        identity = {**config.identity, **pair.bound}
        in_flight = min(config.keys.games_in_flight, pair.max_in_flight or config.keys.games_in_flight)
        try:
            result = play_match(
                config.game,
                pair.players,
                games=config.keys.games,
                seed=config.keys.seed,
                folder=run.folder,
                identity=identity,
                games_in_flight=in_flight,
                on_progress=on_progress,
                stop=stop,
                at_once=pair.at_once,
                test=test,
            )
        except BaseException:
            done.keep()
            raise
        finally:
            pair.close()
    summary = summarise(config, result, pair, done.end(result.seconds, result.chosen))
    if run.of > 1:
        say(f"{title}: {brief(summary)}  {here(run.folder)}")
        for line in [*test_told(summary), *seconds_told(summary)[1:]]:
            say(f"{title}: {line}")
    else:
        show(*_final(config, run, summary))
    return summary


def standing(progress: Any) -> str:
    """The score so far (``gpumcts.match.progress.Progress``); before the first game ended, what the players expect."""
    from gpumcts.match.statistics import wilson, win_rate

    if progress.finished:
        counts = (progress.wins, progress.draws, progress.finished)
        rate, low, high = (100 * share for share in (win_rate(*counts), *wilson(*counts)))
        score = f"+{progress.wins} ={progress.draws} -{progress.losses}  {rate:.0f} % [{low:.0f}, {high:.0f}]"
        ratio = "" if progress.sprt is None else f", log-likelihood ratio {progress.sprt.ratio:.2f}"
        return f"{progress.finished} of {progress.games} games: {score}{ratio}"
    words = [f"0 of {progress.games} games, ply {progress.ply}"]
    sides = zip(("player", "opponent"), progress.expected, strict=True)
    words += [f"{side} expects {100 * rate:.0f} %" for side, rate in sides if rate is not None]
    return ", ".join(words)


def summarise(config: Checked, result: Any, pair: Any, totals: dict[str, Any]) -> dict[str, Any]:
    """The summary of a match; ``totals`` is the work of all runs in its folder (``MatchWork.end``)."""
    from gpumcts.match.statistics import wilson, win_rate

    low, high = wilson(result.wins, result.draws, result.games)
    sides = {side: _rated(totals[side]) for side in pair.by_side}
    playing_out = [side for side in sides.values() if side["playouts"]]  # nodes and leaves of others are no iterations
    together = {key: sum(side[key] for side in playing_out) for key in ("iterations", "playouts", "seconds")}
    summary: dict[str, Any] = {
        "games": result.games,
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "win_rate": win_rate(result.wins, result.draws, result.games) if result.games else None,
        "ci95_low": low,
        "ci95_high": high,
        "iterations_per_second": _rate(together, "iterations"),
        "playouts_per_second": _rate(together, "playouts"),
        "seconds": totals["seconds"],
        "digest": result.digest,
        "interrupted": result.interrupted,
        "seed": config.keys.seed,
        "engine": pair.engine,
    }
    for side, player in (("player", config.player), ("opponent", config.opponent)):
        assert player is not None
        summary[side] = {
            "label": label(player.identity),
            "iterations_a_move": pair.iterations[side],
            **sides[side],
        }
        summary[side].update(_seconds_a_move(config, player, totals[side]))
        summary[side]["counted"] = kind_of(player.name).counted
        reported_wins = result.reported_wins[("player", "opponent").index(side)]
        summary[side].update(first_sees_win_ply=reported_wins.mean_ply, first_sees_win_games=reported_wins.games)
        if side in pair.programs:
            given_up = result.given_up[("player", "opponent").index(side)]
            summary[side].update(program=pair.programs[side], **given_up._asdict())
            summary[side].update({key: totals[side][key] for key in ("longest_move", "moves_over_time")})
    if result.sprt is not None:
        summary[SPRT] = {"asked": config.keys.sprt, **result.sprt._asdict()}
    if UNMEASURED in totals:
        summary[UNMEASURED] = totals[UNMEASURED]
    if pair.programs:
        summary["no_digest"] = NO_DIGEST
    summary.update({key: value for key, value in config.study._asdict().items() if value is not None})
    return summary


def _rated(totals: dict[str, Any]) -> dict[str, Any]:
    """Work of a side in all runs, its rates, the moves it was done for, and how much of it a move took on average.

    The last two are None where an earlier run did not count its moves.
    """
    moves = totals["moves"]
    return {
        **{key: totals[key] for key in ("iterations", "playouts", "seconds")},
        **{f"{key}_per_second": _rate(totals, key) for key in ("iterations", "playouts")},
        "moves": moves,
        "made_a_move": totals["iterations"] / moves if moves else None,
    }


def _seconds_a_move(config: Checked, player: Any, totals: dict[str, Any]) -> dict[str, float]:
    """Seconds asked for and taken, of a budget in seconds; nothing where a run in the folder did not measure them."""
    from experiments.players.player_factory import counts_cores

    # Two batches in flight are on threads of their own, whose processor time nobody adds up.
    known = player.settings.batches_in_flight == 1 or not counts_cores(config, player)
    taken = totals.get("core_seconds" if counts_cores(config, player) else "seconds")
    if not player.budget.seconds or not totals["moves"] or taken is None or not known:
        return {}
    return {"seconds_asked_a_move": player.budget.seconds, "seconds_a_move": taken / totals["moves"]}


def seconds_told(summary: dict[str, Any]) -> list[str]:
    """What budgets in seconds came to, a line, and another where it is not what was asked for; nothing without them."""
    sides = {side: summary[side] for side in ("player", "opponent") if "seconds_a_move" in summary[side]}
    if not sides:
        return []
    of_asked = {name: side["seconds_a_move"] / side["seconds_asked_a_move"] for name, side in sides.items()}
    words = [f"{name} {side['seconds_a_move']:.3g} of {side['seconds_asked_a_move']:g}" for name, side in sides.items()]
    lines = [f"seconds a move, taken of asked for: {', '.join(words)}"]
    if max(1.0, *of_asked.values()) / min(1.0, *of_asked.values()) > FAR_OFF:
        times = " and ".join(f"{name} took {ratio:.2f}" for name, ratio in of_asked.items())
        lines.append(
            f"not the time asked for: {times} times as much; the rates in rates.json were measured in other games"
        )
    return lines


def _rate(totals: dict[str, Any], key: str) -> float:
    return totals[key] / totals["seconds"] if totals["seconds"] > 0 else 0.0


def brief(summary: dict[str, Any]) -> str:
    """A match in a few words."""
    if not summary["games"]:
        return "no game finished"
    rate, low, high = (100 * summary[key] for key in ("win_rate", "ci95_low", "ci95_high"))
    counts = f"+{summary['wins']} ={summary['draws']} -{summary['losses']}"
    forfeits = (
        f"  {side} forfeited {summary[side].get('forfeited')}"
        for side in ("player", "opponent")
        if summary[side].get("forfeited")
    )
    unmeasured = summary.get(UNMEASURED)
    killed = f", without that of {counted(unmeasured, 'move')} of a run that was killed" if unmeasured else ""
    return f"{counts}  {rate:.1f} % [{low:.1f}, {high:.1f}]  {summary['seconds']:.1f} s{killed}{''.join(forfeits)}"


def _final(config: Checked, run: Run, summary: dict[str, Any]) -> list[str]:
    from gpumcts.match.resume import games_beyond
    from gpumcts.match.statistics import elo_line, score_line

    names = (summary["player"]["label"], summary["opponent"]["label"])
    counts = (summary["wins"], summary["losses"], summary["draws"])
    lines = [f"{config.slug}, seed {config.keys.seed}, engine {summary['engine']}"]
    if summary["games"]:
        lines += [score_line(*names, *counts) + _so_far(config, summary), elo_line(*counts)]
    lines.append(brief(summary) + (" (win rate of the player, Wilson 95 %)" if summary["games"] else ""))
    lines += [f"{side}: {_said_of(summary[side])}" for side in ("player", "opponent")]
    lines += [*test_told(summary), *seconds_told(summary)]
    ended = summary["games"] if decided(summary) else config.keys.games
    if beyond := games_beyond(run.folder, ended):
        why = "came after the decision" if decided(summary) else f"games={ended} does not count"
        lines.append(f"the folder has {counted(beyond, 'more game')}, which {why}")
    return [*lines, f"folder: {here(run.folder)}"]


def _so_far(config: Checked, summary: dict[str, Any]) -> str:
    """What a score says that some games lack, after an interrupt: those that last long are among them."""
    games, asked = summary["games"], config.keys.games
    cut = games < asked and not decided(summary)
    return f"; {games:,} of {asked:,} games, those that ended first: no random part" if cut else ""


def _said_of(side: dict[str, Any]) -> str:
    """How fast a side was, in what it counts, and when it first saw the wins that it had."""
    # What players without playouts count as iterations: nodes of pvs and minimax, leaves of alpha-beta.
    key, what = ("playouts", "playouts") if side["playouts"] else ("iterations", "positions")
    nothing = "no move of it was measured" if side.get("moves") == 0 else "no search"
    words = [f"{shortened(side[f'{key}_per_second'])} {what}/s" if side["iterations"] else nothing]
    if side["iterations"] and side["made_a_move"] is not None:
        words.append(f"{side['made_a_move']:,.0f} {side['counted']} a move")
    if "program" in side:
        words = [side["program"], f"resigned {side['resigned']}, forfeited {counted(side['forfeited'], 'game')}"]
        if over := side["moves_over_time"]:
            words.append(
                f"{counted(over, 'move')} took longer than it was granted, the longest {side['longest_move']:.2f} s"
            )
        words += [f"{reason} ({games})" for reason, games in list(side["reasons"].items())[:MAX_REASONS]]
    if side["first_sees_win_ply"] is not None:
        plies, games = side["first_sees_win_ply"], side["first_sees_win_games"]
        words.append(f"first sees its win at ply {plies:.1f} on average, in {counted(games, 'game')}")
    return "; ".join(words)


def _plies(config: Checked) -> float:
    """About how many moves the match has."""
    from gpumcts.games.contract import remaining_plies, start

    return config.keys.games * float(remaining_plies(config.game, start(config.game)))


def cost(config: Checked, folder: Path) -> float:
    """About how many playouts the games take, 0 where all of them are over."""
    if (folder / SUMMARY).exists():
        known = read_summary(folder)
        same_test = decided(known) and known[SPRT]["asked"] == config.keys.sprt
        if same_test or known.get("games", 0) >= config.keys.games:
            return 0.0
    a_move = 1.0
    for player in (config.player, config.opponent):
        assert player is not None
        a_move += player.iterations * player.settings.playouts_per_leaf
        a_move += (player.budget.seconds or 0) * PLAYOUTS_A_SECOND
    return config.keys.games * a_move


def numbers(config: Checked) -> tuple[str, ...]:
    """Those of the summary; ``win_rate`` is null without a game, others where nothing was seen or counted."""
    sides = (("player", config.player), ("opponent", config.opponent))
    of_sides = (f"{side}.{name}" for side, player in sides for name in _side_numbers(player))
    rates = "win_rate", "ci95_low", "ci95_high", "iterations_per_second", "playouts_per_second"
    return "games", "wins", "draws", "losses", *rates, "seconds", "seed", *of_sides


def _side_numbers(player: Any) -> tuple[str, ...]:
    work_done = "iterations", "playouts", "seconds", "iterations_per_second", "playouts_per_second"
    of_moves = "moves", "made_a_move", "first_sees_win_ply", "first_sees_win_games"
    of_program = ("resigned", "forfeited", "longest_move", "moves_over_time") if player.program is not None else ()
    of_seconds = ("seconds_asked_a_move", "seconds_a_move") if player.budget.seconds else ()
    return "iterations_a_move", *work_done, *of_moves, *of_seconds, *of_program


COMMAND = Command(
    "match",
    match_config,
    work,
    prepare,
    cost=cost,
    numbers=numbers,
    results=Presentation(match_cells, match_panel, measure=match_measure, keys=MatchKeys),
    resumes=True,
)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
