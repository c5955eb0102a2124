"""Machine code of unmodified binaries: which instructions act on other threads, and how they are made to tell.

    functions      where functions lie, and where an exception may land in them, from the unwinder's tables
    decoded        a function's instructions, and what is asked of every one
    flow           where an instruction leads
    targets        every place that a jump may lead to
    stack          which registers lead to a function's own stack
    sites          what an instruction does that others can notice
    registers      is a register still needed?
    groups         which instructions a jump can take the place of
    trampolines    the code that stands in for a group
    blob           one module's trampolines as a file (csrc/machine/blob.h), made by csrc/decode
    scan           a module from its image to its blob
    cache          blobs by build id, in the user's cache directory
    modules        which modules of a program are patched, and the list that the runtime reads

Nothing here runs the program. The preload library needs no disassembler: all that it does is to map the blob and write the jumps.
"""
