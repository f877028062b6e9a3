"""Bad input: one line on stderr that names the key, an exit code that is not 0, no traceback, no files touched."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.experiments.app.refusals import refused, tree

ROOT = Path(__file__).resolve().parents[3]
TINY = "games=2 budget.iterations=2 threads=1 engine=cpu"

BAD = {
    "match game=checkers": "game=checkers is not known (did you mean chess?); there are: amazons, chess, ",
    "match game=3": "game=3 is not known",
    f"match game={'x' * 400}": f"game={'x' * 400} is not known; there are: amazons, ",
    f"match seed={'1' * 5000}": "seed: a number has at most 4,300 digits; quote text twice: 'seed=\"...\"'",
    f"search position={'/'.join(['x' * 60] * 70)}": "position: Othello takes 64 characters",
    "match ~game": "~game: the command needs game; leave ~game out",
    "match ~opponent.backup": "~opponent.backup: the command needs backup; leave ~opponent.backup out",
    "match -m seed=range(1,9,0)": "seed=range(1,9,0): a range has finite ends and a finite step that is not 0",
    "match -m seed=range(1,inf)": "seed=range(1,inf): a range has finite ends and a finite step that is not 0",
    "match -m seed=range(1,1e12)": "seed=range(1,1e12): a range has at most 1,000,000 values",
    "match game=[go,othello]": (
        "game=[go,othello] names several choices: name one, or add -m to run them all: -m game=go,othello"
    ),
    "match backup@opponent.backup=[average,minimax]": "backup@opponent.backup=[average,minimax] names several choices",
    "match game={name:go}": "game={name:go} is not known",
    "match -m seed=1,2 hydra/launcher=slurm": (
        "hydra/launcher=slurm is not known; there are: basic, joblib, ray, submitit_local"
    ),
    "match -m seed=1,2 hydra/sweeper=optun": (
        "hydra/sweeper=optun is not known (did you mean optuna?); there are: basic, grid, optuna"
    ),
    "match backup@oponent.backup=minimax": (
        "backup@oponent.backup: the command has no such place for it; there are: backup, backup@opponent.backup"
    ),
    "match game=my_lab.last_stone": "game=my_lab.last_stone: cannot import it: No module named 'my_lab'",
    "match game=my_lab/last_stone.py": "a module of your own is named with dots, as game=my_lab.mine",
    "match game=mine.yaml": "a module of your own is named with dots, as game=my_lab.mine",
    "match player=my_lab.last_stone": "a module of your own takes a YAML file and --config-dir (docs/add_a_game.md)",
    "match game=othello game=chess": "game is given twice: game=othello and game=chess",
    "match player@opponent.player=pvs player@opponent.player=uct": "player@opponent.player is given twice: ",
    "match opponent.playout.name=unifrm": (
        "opponent.playout.name=unifrm is not known (did you mean uniform?); there are: "
    ),
    "match game=chess selection=rave budget=seconds": "selection=rave wants a game whose moves are points (CELLS)",
    "search game=chess selection=rave budget=seconds": "selection=rave wants a game whose moves are points (CELLS)",
    "match budget=seconds memory_gb=1e-9": "memory_gb=1e-09: too little for any search: a tree takes ",
    "match gmae=othello": "gmae: unknown key (did you mean game?)",
    "match +surprise=1": "surprise: unknown key",
    "match engine=gpu": "engine=gpu is not known (did you mean cuda?); there are: auto, cpu, cuda",
    "match backup.decay=0.9": "backup.decay: unknown key; backup=average has no keys",
    "match game.size=8": "game.size: unknown key; game=othello has corner_weight",
    "match experiment=kocsis2006improved/fig9": "there are: kocsis2006improved/fig3, kocsis2006improved/fig4",
    "match experiment=kocsis2006improved/fig4 scale=small": (
        "experiment=kocsis2006improved/fig4 is for another command: "
        "python -m experiments.trees experiment=kocsis2006improved/fig4 scale=small"
    ),
    "match -m experiment=main,kocsis2006bandit/fig4": "python -m experiments.planning experiment=kocsis2006bandit/fig4",
    "match backup=acelerated": "did you mean accelerated?",
    "match backup@opponent.backup=none": "backup=none is not known",
    "match backup=accelerated backup.decay=0": "backup.decay=0: must be a number in (0, 1]",
    "match backup=accelerated backup.decay=2": "backup.decay=2: must be a number in (0, 1]",
    "match backup=accelerated backup.decay=much": "backup.decay=much: must be a number in (0, 1]",
    "match backup=accelerated backup.decay=nan": "backup.decay=nan: must be a number in (0, 1]",
    "match backup=accelerated backup.dekay=0.9": "backup.dekay: unknown key (did you mean decay?)",
    "match backup@opponent.backup=discounted opponent.backup.decay=2": "opponent.backup.decay=2: must be",
    "match opponent.playout=minimax": "opponent.playout=minimax: choose it as playout@opponent.playout=minimax",
    "match opponent.player=random": "opponent.player=random: choose it as player@opponent.player=random",
    "match opponent.budget=nodes": "opponent.budget=nodes: choose it as budget@opponent.budget=nodes",
    "match opponent.selection=rave": "opponent.selection=rave: choose it as selection@opponent.selection=rave",
    "match opponent.search.in_flight=unobserved": "opponent.search.in_flight=unobserved: counts with "
    "opponent.search.leaves_per_tree or opponent.search.batches_in_flight above 1 alone",
    "match opponent.search.in_flight=unobserved opponent.search.leaves_per_tree=8 "
    "selection@opponent.selection=boltzmann": (
        "opponent.search.in_flight=unobserved: visits do not count with opponent.selection=boltzmann; "
        "take opponent.search."
    ),
    "match opponent.search.batches_in_flight=2 opponent.search.table=100": (
        "opponent.search.batches_in_flight=2: must be 1 with opponent.search.table"
    ),
    "match opponent.search.roots=2 opponent.search.table=100": (
        "opponent.search.roots=2: must be 1 with opponent.search.table"
    ),
    "match opponent.search.roots=4 opponent.budget.iterations=4": (
        "opponent.budget.iterations=4: must be more than 7 with opponent.search.roots=4"
    ),
    "match opponent.search.table=100 backup@opponent.backup=max": "opponent.backup=max: a table keeps means alone",
    "match opponent.search.table=1000000 memory_gb=0.01 budget.iterations=10": (
        "opponent.search.table=1000000: a table and "
    ),
    "match opponent.budget.iterations=100000 memory_gb=0.001 budget.iterations=9": (
        "opponent.budget.iterations=100000: a tree "
    ),
    "match playout@opponent.playout=go": (
        "opponent.playout=go is not for game=othello; opponent.playout=uniform plays every"
    ),
    "match opponent.search=fuego": "opponent.search=fuego: choose it as search@opponent.search=fuego",
    "match opponent.player=uci opponent.player.command=x": (
        "opponent.player=uci: choose it as player@opponent.player=uci"
    ),
    "match player@opponent.player=uci opponent.player=uci opponent.player.command=x": (
        "opponent.player=uci: choose it as "
    ),
    "match opponent.backup=null": "opponent.backup=null: choose it as backup@opponent.backup=null",
    "match opponent=random": "opponent=random: choose its parts, the player as player@opponent.player=random",
    "match player@opponent.player=random opponent.playout=minimax": "opponent.playout does not count for",
    "match budget=matched": (
        "budget.matched=4: the other side follows too; give it a budget of its own, as opponent.budget."
    ),
    "match budget=matched player@opponent.player=random": "budget.matched=4: opponent.player=random counts no nodes",
    "match budget@opponent.budget=matched opponent.budget.matched=0": (
        "opponent.budget.matched=0: must be an integer in [1, "
    ),
    "match player=alpha_beta budget=matched": "budget: player=alpha_beta takes iterations or seconds; e.g. ",
    "search budget=matched": "budget: player=uct takes iterations or seconds; e.g. ",
    "match backup.name=os": "backup.name=os is not known",
    "match selection.exploration=inf": "selection.exploration=inf: must be a number",
    "match playout=minimax playout.depth=2.5": "playout.depth=2.5: must be an integer in [1, 3]",
    "match search.ties=last": "search.ties=last: must be random or first",
    "match search.reuse=1": "search.reuse=1: must be true or false",
    "search search.reuse=true": "search.reuse=true: experiments.search searches one position; ",
    "match search.threshold=3": "search.threshold=3: counts with search.expansion='threshold' alone",
    "match opponent.search.threshold=3": "opponent.search.threshold=3: counts with "
    "opponent.search.expansion='threshold' alone",
    "match games=-1": "games=-1: must be an integer",
    "match games=0": "games=0: must be an integer",
    "match games=1.5": "games=1.5: must be an integer",
    "match games=many": "games=many: must be an integer",
    "match games=true": "games=true: must be an integer",
    "match seed=-1": "seed=-1: must be an integer in [0, 18446744073709551615]",
    "match threads=0": "threads=0: must be an integer",
    "match budget.iterations=-5": "budget.iterations=-5: must be an integer",
    "match budget.seconds=1": "budget.iterations=1000 and budget.seconds=1: a budget has one unit; write "
    "budget=seconds budget.seconds=1",
    "match opponent.budget.seconds=0.5": "a budget has one unit; write budget@opponent.budget=iterations "
    "opponent.budget.iterations=1000 or budget@opponent.budget=seconds opponent.budget.seconds=0.5",
    "match budget=matched budget.matched=null": "budget: give one of iterations, nodes, depth, seconds or matched; "
    "here all are null",
    "match budget.nodes=7": "budget: player=uct takes iterations, seconds or matched; e.g. budget=iterations",
    "gtp budget.iterations=200": "budget.iterations=200 and budget.seconds=0.1: a budget has one unit; write "
    "budget=iterations budget.iterations=200",
    "uci budget.iterations=2e2": "write budget=iterations budget.iterations=200",
    "match memory_gb=1e-10": "memory_gb=1e-10: must be a number of at least 1e-09, or null",
    "match playout=minimax playout.epsilon=1e-10": "playout.epsilon=1e-10: must be 0 or at least 2^-32, about 2.3e-10",
    "match playout@opponent.playout=minimax opponent.playout.epsilon=1e-10": "opponent.playout.epsilon=1e-10: must be ",
    "match budget=nodes": "budget: player=uct takes iterations, seconds or matched; e.g. budget=iterations "
    "budget.iterations=1000",
    "match budget=depth budget.depth=256": "budget.depth=256: must be an integer in [1, 255], or null",
    "match budget=same": "budget=same is for opponents",
    "match player=random backup=minimax": "backup does not count for player=random",
    "match player=random preset=uctmax_h": "does not count for player=random",
    "match player=random budget.iterations=9 player@opponent.player=pvs budget@opponent.budget=depth": (
        "budget does not count for player=random; leave it out"
    ),
    "match player@opponent.player=random opponent.backup.name=minimax": "opponent.backup does not count",
    "match player=alpha_beta backup=minimax": "backup does not count for player=alpha_beta",
    "match player=alpha_beta budget=depth": (
        "budget: player=alpha_beta takes iterations or seconds; e.g. budget=iterations"
    ),
    "match player=alpha_beta budget.playouts_per_leaf=2": (
        "budget.playouts_per_leaf=2: player=alpha_beta has no playouts"
    ),
    "match player=pvs": "budget: player=pvs takes nodes, depth or seconds; e.g. budget=depth budget.depth=4",
    "match player@opponent.player=pvs": "opponent.budget: opponent.player=pvs takes nodes, depth or seconds; e.g. "
    "budget@opponent.budget=depth opponent.budget.depth=4",
    "match player=pvs budget=nodes": "opponent.budget: opponent.player=uct takes iterations, seconds or matched; e.g. "
    "budget@opponent.budget=iterations",
    "match player=pvs budget=nodes budget.depth=3": "a budget has one unit; write budget=depth budget.depth=3",
    "match player=pvs budget=nodes budget.nodes=0": "budget.nodes=0: must be an integer in [1, ",
    "match player=pvs budget=depth player.table_mb=0.5": "player.table_mb=0.5: must be an integer in [1, 1048576]",
    "match player=pvs budget=depth player.reuse=true": "player.reuse: unknown key",
    "match player=pvs budget=depth search=flat player@opponent.player=random": "search does not count for player=pvs",
    "match player=pvs budget=depth player@opponent.player=random memory_gb=0.01": "player.table_mb=16: ",
    "match player=pvs budget=depth player@opponent.player=random player.table_mb=1048576": "do not fit into",
    "match game=dice_duel player@opponent.player=pvs budget@opponent.budget=depth": (
        "opponent.player=pvs: in DiceDuel chance"
    ),
    "match player=minimax": "budget: player=minimax takes depth; e.g. budget=depth budget.depth=4",
    "match player=minimax budget=depth player.leaf=luck": "player.leaf=luck: must be ",
    "match player=minimax budget=depth player.ties=last": "player.ties=last: must be random, first, noisy or noisiest",
    "match player=minimax budget=depth player@opponent.player=random player.ties=noisy": (
        "player.ties=noisy: game=othello does not say which moves are noisy"
    ),
    "match playout=evaluation playout.limit=0": "playout.limit=0: must be an integer in [1, 1073741824], or null",
    "match player=minimax budget=depth player@opponent.player=random player.quiescence=true": "player.quiescence=true: "
    "game=othello does not say which moves are noisy",
    "match game=dots_and_boxes player@opponent.player=minimax budget@opponent.budget=depth "
    "opponent.player.leaf=playout opponent.player.quiescence=true": (
        "opponent.player.quiescence=true counts with opponent.player.leaf=evaluation alone"
    ),
    "match game=dice_duel player@opponent.player=minimax budget@opponent.budget=depth": (
        "opponent.player=minimax: in DiceDuel chance"
    ),
    "match player=mc selection=uniform": "selection does not count for player=mc",
    "match player=mc budget=nodes": "budget: player=mc takes iterations, seconds or matched",
    "match game=amazons game.size=7": "game.size=7: Amazons is played on 6, 8 or 10 squares",
    "match game=clobber game.rows=11": "game.rows=11: must be an integer in [1, 10]",
    "search game=clobber position=abc": "position: ",
    "match game=go game.size=5": "game.size=5: must be 9, 13 or 19",
    "match game=go game.size=11": "game.size=11: must be 9, 13 or 19",
    "match game=go game.komi=many": "game.komi=",
    "match player=alpha_beta player.best_so_far=1": "player.best_so_far=1: must be true or false",
    "match player@opponent.player=alpha_beta opponent.selection.name=ucb1_tuned": "opponent.selection does not count",
    "search budget=seconds memory_gb=0.002 engine=cpu threads=4": "memory_gb=0.002: too little for any search: a tree ",
    "search budget=seconds engine=device": "engine=device: a search by the clock grows a tree by slices, ",
    "search budget=seconds search.table=100": "search.table=100: a search by the clock grows a tree by slices, ",
    "match search.table=0": "search.table=0: must be an integer in [2, 2147483647], or null",
    "match search.table=9": "search.table=9: a table has an even number of entries",
    "match search.batches_in_flight=3": "search.batches_in_flight=3: must be an integer in [1, 2]",
    "match search.batches_in_flight=2 search.table=100": "search.batches_in_flight=2: must be 1 with search.table",
    "trees game=pgame search.batches_in_flight=2": (
        "search.batches_in_flight=2: searches that are followed have one batch"
    ),
    "match search.roots=0": "search.roots=0: must be an integer in [1, 4096]",
    "match search.roots=2 search.table=100": "search.roots=2: must be 1 with search.table",
    "match search.leaves_per_tree=4 search.table=100": "search.leaves_per_tree=4: must be 1 with search.table",
    "match search.in_flight=none": "search.in_flight=none: must be virtual_loss or unobserved",
    "match search.in_flight=unobserved": "search.in_flight=unobserved: counts with search.leaves_per_tree or "
    "search.batches_in_flight above 1 alone",
    "match search.in_flight=unobserved search.leaves_per_tree=8 selection=boltzmann": (
        "search.in_flight=unobserved: visits do not count with selection=boltzmann"
    ),
    "match search.in_flight=unobserved search.leaves_per_tree=8 selection.exploration=0": (
        "search.in_flight=unobserved: visits do not count with selection=ucb1 selection.exploration=0; must be above 0"
    ),
    "match search.leaves_per_tree=65536 budget.playouts_per_leaf=1000000 selection=rave game=havannah": (
        "search.leaves_per_tree=65536: a batch of budget.playouts_per_leaf=1000000 takes 65,536 rows"
    ),
    "trees game=pgame search.roots=2": "search.roots=2: searches that are followed have one tree",
    "match search.stored_above=0.5": "search.stored_above=0.5: counts with search.table alone",
    "match game=shortest_path": "a match takes a game for two",
    "match backup=average,minimax": "add -m to run them all",
    "match -m backup=average,accelerated backup.decay=0.5": "backup.decay: unknown key",
    "match -m games=2,-2": "games=-2: must be an integer",
    "match games": "'games' is not understood",
    "match =3": "'=3' is not understood",
    "match hydra.sweep.dir=a": "hydra.sweep.dir=a: that is for a sweep; the folder of a run is hydra.run.dir",
    "match -m seed=1,2 hydra.run.dir=a": "hydra.run.dir=a: that is for a run; the folder of a sweep is hydra.sweep.dir",
    "report runs=[a=b]": """'runs=[a=b]' is not understood: text with = in it is quoted twice, 'key="a=b"'""",
    "report runs=a{b,c}": """'runs=a{b,c}' is not understood: text with { in it is quoted twice, 'key="a{b"'""",
    "match --gaems=3": "unrecognized arguments: --gaems=3",
    "match --config-dir nowhere": "there is no such folder",
    "match experiment=nonsense": (
        "experiment=nonsense is not known; there are: go/gnugo, go/policy, hashimoto2012accelerated/"
    ),
    "match experiment=hashimoto2012accelerated/table1a k=8": "k=8: must be an integer in [1, 7]",
    "match experiment=hashimoto2012accelerated/table1a budget=seconds": (
        "budget.iterations=50000 and budget.seconds=0.1: a budget has one unit; "
        "write budget=iterations budget.iterations=50000, or set one to null"
    ),
    "match experiment=hashimoto2012accelerated/table1a scale=large": (
        "scale=large is not known; there are: small, document"
    ),
    "match experiment=hashimoto2012accelerated/table1a -m budget=small,document": (
        "it is called scale=small,document now"
    ),
    "match budget=small": "budget=small: it is called scale=small now, and goes with experiment=...",
    "match scale=small": "scale goes with an experiment that has figures for document and small",
    "match experiment=kocsis2006improved/table1 column=work_9": (
        "column=work_9 is not known (did you mean work_5?); there are: work_001, work_01, "
    ),
    "match experiment=kocsis2006improved/table2 scale=small by=tme": (
        "by=tme is not known (did you mean time?); there are: work, calibrated, time"
    ),
    "match experiment=hashimoto2012accelerated/table1a k=1 playout=minimax": "playout=minimax: "
    "this experiment sets playout by policy=own, uniform; choose policy",
    "match experiment=hashimoto2012accelerated/table1a scale=small k=1,2 backup.decay=0.5": (
        "backup.decay=0.5: experiment=hashimoto2012accelerated/table1a sets backup.decay by k=1, ..., 7; choose k"
    ),
    "match experiment=hashimoto2012accelerated/table1a k=1 playout.truncate=3": (
        "playout.truncate: the experiment sets it by policy=own, uniform; choose policy"
    ),
    "match experiment=hashimoto2012accelerated/table1a backup=average k=1": (
        "backup=average: experiment=hashimoto2012accelerated/table1a sets backup.decay by k=1, ..., 7, "
        "and backup=average has no decay"
    ),
    "match experiment=main games=4 playout=uniform": (
        "playout=uniform: experiment=main sets playout by cell=main/informed, main/informed_equal_time, "
        "main/accelerated; choose cell"
    ),
    "match experiment=main games=4 budget=iterations budget.iterations=50 budget.seconds=null": (
        "budget=iterations: experiment=main sets budget by cell=main/informed, "
    ),
    "match experiment=main games=4 budget.iterations=50 budget.seconds=null": (
        "cell=main/informed and cell=main/informed_equal_time are the same run with the other keys that are given"
    ),
    "trees experiment=kocsis2006improved/fig4 scale=small game.branching=3": (
        "game.branching=3: experiment=kocsis2006improved/fig4 sets game.branching by shape=b2d20, b8d8; choose shape"
    ),
    "match experiment=parallel/leaves scale=small column=5": ("column=5 is not known; there are: 4, 16, 64, 256, 1024"),
    "match experiment=go/gnugo option=go game=othello": "experiment=go/gnugo is for game=go: playout=go is not for",
    "match preset=fuego": "preset=fuego is for game=go: playout=go is not for game=othello",
    "match bugdet.iterations=3": "bugdet.iterations: unknown key (did you mean budget.iterations?)",
    "match hydra.swep.dir=x": "hydra.swep.dir: unknown key (did you mean hydra.sweep.dir?)",
    "match -m hydra/launcher=joblib hydra.launcher.n_job=2": "hydra.launcher.n_job: unknown key (did you mean hydra.",
    "match hydra.job.zz=1": "hydra.job.zz: unknown key; hydra.job has name, chdir, ",
    "match hydra.launcher.zz=1": "hydra.launcher.zz: unknown key",
    "match hydra.verbose.x=1": "hydra.verbose.x: unknown key; hydra.verbose has no keys",
    "match hydra.job.env_set.A=1": "hydra.job.env_set has no keys yet; one is added with a plus: +hydra.job.env_set.A=",
    "match hydra.job.env_set={A:b}": "hydra.job.env_set: its keys are added with a plus: +hydra.job.env_set.NAME=",
    "match -m hydra/sweeper=basic +hydra.sweeper.params.seed=1": "hydra.sweeper.params goes with hydra/sweeper=grid; ",
    "match size=13": "size: unknown key; there is game.size with game=amazons, go, ",
    "match round=confirm": "round: unknown key; it goes with experiment=hashimoto2012accelerated/table1a, ",
    "match --help games=4": "--help games=4: the command has no group games; it has game, player, ",
    "match experiment=playouts/random_vs_informed scale=small board=nope": (
        "board=nope is not known; there are: othello, "
    ),
    "match budget.iterations=100000 memory_gb=0.001": "a tree takes",
    "match hydra.verbose=3": "hydra.verbose=3: must be true, false, the name of a logger, or a list of names",
    "match hydra.run.dir=/dev/null/there": "the folder /dev/null/there cannot be made",
    "match hydra.run.dir=/proc/there": "the folder /proc/there cannot be written",
    "perft hydra.run.dir=": "hydra.run.dir: must be the name of a folder; a dot is the current one",
    "perft -m depth=1,2 hydra.sweep.dir=null": "hydra.sweep.dir: must be the name of a folder; a dot is the current",
    "search moves=1e5": "moves=100000.0 is read as a number; it must be text",
    "search position=true": "position=true is read as true or false; it must be text",
    "search position=abc": "position: Othello takes 64 characters",
    "search budget.iterations=100000 memory_gb=0.001": "a tree takes",
    "bench suites=playouts": "suites=playouts: must be a list, which stands in brackets: suites=[playouts]",
    "perft depth=-1": "depth=-1: must be an integer in [0, 64]",
    "perft depth=deep": "depth=deep: must be an integer",
    "playouts count=0": "count=0: must be an integer",
    "playouts backup=minimax": (
        "backup: the command has no such group; experiments.gtp, experiments.match, experiments.search, "
        "experiments.trees and experiments.uci have it"
    ),
    "search player=random": "player: the command has no such group; experiments.match has it",
    "search player.backup=max": "player.backup: unknown key; the command has no group player; experiments.match has it",
    "match oponent.player=uct": "oponent.player: unknown key (did you mean opponent.player?)",
    "perft -m depth=1,2 objective=nodes,seconds": "objective=nodes,seconds: a sweep has one objective, a number of",
    "perft objective=[nodes,seconds]": "objective=[nodes,seconds]: must be one number of the summary: nodes, ",
    "report runs=nothing/*": "runs=nothing/*: no folder matches",
    "report runs=nothing/**": "runs=nothing/**: no folder matches",
    "report runs=7": "runs=7 is read as a number; it must be text",
    "doctor cores=1": "cores: unknown key",
}


def keys_of(line: str) -> str:
    """Which keys a line gives, whatever their values."""
    return re.sub(r"=\S*", "", line)


FIRST = set({keys_of(line): line for line in reversed(BAD)}.values())
"""Of the lines that give the same keys other values the first; with the others the quick tests take 30 seconds more."""


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=[] if line in FIRST else [pytest.mark.slow]) for line in BAD]
)
def test_bad_input_is_one_line(run, tmp_path, line):
    (tmp_path / "precious.txt").write_text("keep")
    before = tree(tmp_path)
    refused(run(line), BAD[line])
    assert tree(tmp_path) == before


def test_a_number_in_quotes_is_told_with_them(run):
    refused(run("match", 'games="4"'), 'games="4": must be an integer')


@pytest.mark.parametrize(("moves", "message"), [("f5 a1", "number 2: move 'a1' is not legal"), ("zz", "move 'zz'")])
def test_an_illegal_move_is_one_line(run, tmp_path, moves, message):
    refused(run("search", f"moves={moves}"), message)
    assert not list(tmp_path.iterdir())


def test_a_position_that_is_over_is_one_line(run, tmp_path):
    refused(run("search", f"position={'X' * 64} X"), f"position={'X' * 64} X: the game is over there")
    assert not list(tmp_path.iterdir())


def test_cuda_without_a_device_is_one_line(run, tmp_path):
    from gpumcts.kernels.engines import cuda_problem

    if not cuda_problem():
        pytest.skip("there is a device here")
    for command in ("match", "playouts", "search"):
        refused(run(f"{command} engine=cuda"), "engine=cuda:")
    assert not list(tmp_path.iterdir())


def test_a_clock_in_too_little_memory_is_told_of_no_iterations(run):
    """Nobody gave any, so fewer of them are no advice."""
    done = run("match budget=seconds memory_gb=1e-9")
    assert done.err.strip().endswith(" MiB may be used")


def test_the_shell_sees_the_exit_code(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "experiments.match", "game=checkers"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: game=checkers is not known") and done.stderr.count("\n") == 1
    assert done.stdout == "" and not list(tmp_path.iterdir())
