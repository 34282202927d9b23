"""How likely a plan is to lose an array, or a sector of it, over the years.

``groups`` takes a plan apart into groups of disks that don't touch one another, ``chains`` turns a group into a Markov
chain of what has failed, ``spares`` adds what stands by and what is on order, ``markov`` solves it, ``scenarios`` draws
the assumptions, and ``loss`` puts them in and a probability with its range out.
``simulation`` plays the same story event by event, for what a chain can't say, and to check it.
"""
