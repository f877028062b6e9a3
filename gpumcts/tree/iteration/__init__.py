"""The four steps of an iteration, for blocks of trees and for many leaves of one tree, and the loop that calls them."""
