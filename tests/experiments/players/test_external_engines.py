"""How a configuration starts an external engine."""

from experiments.players.external_engines import UciPlayerKeys, terms_of


def test_the_limit_of_time_is_told_to_the_program_and_to_us():
    assert terms_of(UciPlayerKeys(command="cat", seconds=0.25))[1:] == ("movetime 250", {}, 60.0, 0.25)
    assert terms_of(UciPlayerKeys(command="cat", depth=3))[1:] == ("depth 3", {}, 60.0, None)
