"""player=gtp: a program outside that speaks GTP."""

from experiments.players.contract import Kind
from experiments.players.external_engines import GtpPlayerKeys, external_engine, seated_by_factory

KIND = Kind(external_engine, seated_by_factory, keys=GtpPlayerKeys, chance=False)
