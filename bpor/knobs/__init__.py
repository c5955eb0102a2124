"""What the knobs of settings.py are made of: how a knob looks on the command line, and how texts are read and written."""
