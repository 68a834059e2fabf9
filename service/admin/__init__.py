"""``umpire admin``: what an operator with access to Redis may see and do, without any credential.

command    the command line
verbs      what can be done with a match, one entry each; a new verb is an entry there and a module of its name with ``run``
running    errors as one line
show, events, snapshot
           one verb each: from the store to a document and its lines
access, opening
           from settings and a match id to what is stored
public_record, plain
           what may be shown, and structs as plain values and columns
"""
