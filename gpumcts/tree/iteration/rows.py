"""How the rows of a batch begin: at the roots of their trees, under the keys of their iterations."""

import numpy as np

from gpumcts.jit import inlined
from gpumcts.rng import CHANCE_STREAM, PLAYOUT_STREAM, TIE_STREAM, child_key, child_of, stem
from gpumcts.tree.forest import ROOT
from gpumcts.tree.iteration.batch import CHANCES, NO_LEAF, STEM_OF_KEYS, TIES, begin_group, join_group
from gpumcts.tree.settings import OneLeaf, SearchSwitches
from gpumcts.verbs import verb

U = np.uint64


@verb("switches")
def prepare_rows(switches, keys, block, batch):
    """Note what the rows of all iterations of a block have in common, before ``begin_rows`` begins the first."""


@verb("switches")
def begin_rows(forest, switches, roots, block, number, leaves, batch):
    """Put the rows of each tree in a group at its root, under keys of iterations from ``number`` on; how many groups.

    A tree whose root is proven stays as it is: its rows have no leaf.
    """


@inlined
def note_stems(keys, block, batch):
    """Note the stems of each tree, at its place in the block."""
    for tree in range(block[0], block[1]):
        place = tree - block[0]
        batch.stems[place, TIES] = stem(child_key(keys[tree], TIE_STREAM))
        batch.stems[place, CHANCES] = stem(child_key(keys[tree], CHANCE_STREAM))
        batch.stems[place, STEM_OF_KEYS] = stem(child_key(keys[tree], PLAYOUT_STREAM))


@inlined
def number_row(place, row, iteration, batch):
    """Put a row of the tree at ``place`` of the block under the keys of an iteration (uint64)."""
    batch.keys[row] = child_of(batch.stems[place, STEM_OF_KEYS], iteration)
    batch.streams[row, TIES] = child_of(batch.stems[place, TIES], iteration)
    batch.streams[row, CHANCES] = child_of(batch.stems[place, CHANCES], iteration)


@inlined
def copy_root(roots, tree, row, batch):
    """Let a row begin at the root's state: also playouts of rows without a leaf do."""
    for i in range(roots.shape[1]):
        batch.words[row, i] = roots[tree, i]


@inlined
def clear_trace(roots, row, batch):
    """The trace of a playout that has not begun, behind the state."""
    for i in range(roots.shape[1], batch.words.shape[1]):
        batch.words[row, i] = 0


# ------------------------------------------------------------------------------------------------- one leaf, or several


@prepare_rows.implements(OneLeaf)
def prepare_lone_rows(switches, keys, block, batch):
    """Each row is a group of its own at the root of its tree, and stays one."""
    note_stems(keys, block, batch)
    for tree in range(block[0], block[1]):
        row = tree - block[0]
        batch.trees[row], batch.paths[row, 0] = tree, ROOT
        begin_group(batch, row, 0)


@begin_rows.implements(OneLeaf)
def begin_lone_rows(forest, switches, roots, block, number, leaves, batch):
    groups = 0
    for tree in range(block[0], block[1]):
        row = tree - block[0]
        number_row(row, row, U(number), batch)
        copy_root(roots, tree, row, batch)
        clear_trace(roots, row, batch)
        if switches.solve and forest.proof[tree, ROOT] != 0:
            batch.depths[row] = NO_LEAF
        else:
            batch.depths[row] = 0
            batch.open[groups, 0] = row
            groups += 1
    return groups


@prepare_rows.implements(SearchSwitches)
def prepare_rows_of_groups(switches, keys, block, batch):
    note_stems(keys, block, batch)


@begin_rows.implements(SearchSwitches)
def begin_rows_of_groups(forest, switches, roots, block, number, leaves, batch):
    groups, (begin, end) = 0, block
    for tree in range(begin, end):
        head = (tree - begin) * leaves
        proven = switches.solve and forest.proof[tree, ROOT] != 0
        for row in range(head, head + leaves):
            number_row(tree - begin, row, U(number + row - head), batch)
            batch.trees[row], batch.paths[row, 0] = tree, ROOT
            clear_trace(roots, row, batch)
            if proven:
                batch.depths[row] = NO_LEAF
            elif row == head:
                begin_group(batch, row, 0)
            else:
                join_group(batch, head, row)
        for row in range(head, head + (leaves if proven else 1)):
            copy_root(roots, tree, row, batch)
        if not proven:
            batch.open[groups, 0] = head
            groups += 1
    return groups
