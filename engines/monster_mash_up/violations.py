"""Every refusal of the game: its code, its rule, what a player is told."""

from engines.kit.violation import Violation

UNKNOWN_SCIENTIST = Violation("UNKNOWN_SCIENTIST", "SET-4", "There is no such scientist in this card set.", "scientist")
SCIENTIST_TAKEN = Violation("SCIENTIST_TAKEN", "SET-4", "The other seat has this scientist.", "scientist")
FRONT_NOT_IN_HAND = Violation("CARD_NOT_IN_HAND", "MAKE-2", "A card named is not in your hand.", "front")
BACK_NOT_IN_HAND = Violation("CARD_NOT_IN_HAND", "MAKE-2", "A card named is not in your hand.", "back")
SAME_CARD_TWICE = Violation("SAME_CARD_TWICE", "MAKE-2", "Front and back must come from two different cards.", "back")
BAD_DIE = Violation("BAD_DIE", "ROLL-5", "The die must be 1 or 2.", "die")
NO_ENERGY_FOR_BOTH = Violation("NOT_ENOUGH_ENERGY", "ROLL-5", "Re-rolling both dice costs 1 Energy.")
NO_ENERGY_FOR_ONE = Violation("NOT_ENOUGH_ENERGY", "ROLL-5", "Re-rolling one die costs 2 Energy.")
NO_ENERGY_FOR_SCIENTIST = Violation("NOT_ENOUGH_ENERGY", "SCI-4", "You cannot pay the Energy.")
NO_LIFE_FOR_SCIENTIST = Violation("NOT_ENOUGH_LIFE", "SCI-4", "Your monster has less Life than the cost.")
NO_ENERGY_FOR_BOOST = Violation("NOT_ENOUGH_ENERGY", "BOOST-3", "You cannot pay for that Boost.", "fingers")
NO_ACTIVATION_DISC = Violation("NO_ACTIVATION_DISC", "POW-3", "Your disc is not on your monster.")
POWER_NOT_NOW = Violation("POWER_NOT_NOW", "POW-5", "A power about dice works only in the Roll Phase.")
SCIENTIST_USED = Violation("SCIENTIST_USED", "SCI-2", "Your scientist was used this round.")
SCIENTIST_NOT_NOW = Violation("SCIENTIST_NOT_NOW", "SCI-3", "This side is used at another time.")
BAD_TARGET = Violation("BAD_TARGET", "POW-7", "The dice named are not what this effect needs.")
BAD_OWN_DIE = Violation("BAD_TARGET", "POW-7", "The dice named are not what this effect needs.", "own_die")
BAD_OPPONENT_DIE = Violation("BAD_TARGET", "POW-7", "The dice named are not what this effect needs.", "opponent_die")
FINGERS_OUT_OF_RANGE = Violation("FINGERS_OUT_OF_RANGE", "BOOST-2", "Fingers must be 0 to 5.", "fingers")
