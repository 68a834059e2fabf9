"""``umpire doctor``: what is wrong with this set-up, and what to do about it.

look_at_*, try_commands
             gather facts, each in one plain struct; nothing is judged there
judge_*      pure functions from facts to findings; nothing is asked there
examination  one after the other
report       findings as lines and as JSON
"""
