from setuptools import Extension, setup

setup(name="hits", version="1", ext_modules=[Extension("hits", ["hits.c"])])
