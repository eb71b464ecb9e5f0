"""What a way to a row is made of."""

CASES = []


def case(row, name, then):
    """A way to a row. Its function sets the scene, yields, and changes the one fact that leads to row `then`."""

    def add(scene):
        CASES.append((row, name, scene, then))
        return scene

    return add


def todo(home, title="draw the map", *args):
    return home.id("todo", "add", title, *args)


def ask(home, *args):
    return home.id("gate", "ask", "may it be printed?", *args)


def user_todo(home, *args):
    return todo(home, "sign the paper", "--audience", "user", *args)


def as_agent(home, agent, *args):
    return home.ok(*args, "--agent", agent)


def spend(home, turns, *args):
    return home.ok("quota", "spend", "--turn-key", "turn", "--turns", str(turns), *args)
