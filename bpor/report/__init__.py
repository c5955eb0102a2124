"""Views of a result: the verdict, the text of a finding, JSON. Nothing here runs a program."""
