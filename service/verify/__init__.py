"""``umpire verify``: replay a proof (what GetProof answers) with this release's rules, offline, and say where it differs, if it does.

proof_file     a file to the proof that it holds
verification   the order of the checks
head           what a match begins with: game, cards, seats, options, seed
steps          each step against its log entry, its replay, its digest
comparing      where two trees differ first
command        the command line, and what it says

A proof shows that the match followed from its seed by the rules. That the seed was fixed before the deal is shown by its commitment, which a player has to
have kept from back then. Nothing shows whether names, notes, ids and times are true, or which of its legal moves a house bot would have chosen.
"""
