"""player=uci: a program outside that speaks UCI."""

from experiments.players.contract import Kind
from experiments.players.external_engines import UciPlayerKeys, external_engine, seated_by_factory

KIND = Kind(external_engine, seated_by_factory, keys=UciPlayerKeys, chance=False)
