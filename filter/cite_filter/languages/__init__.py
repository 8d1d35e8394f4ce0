"""What the document of an answer says around it, a module a language: `WORDS` of each."""
