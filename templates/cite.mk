# cite.mk: documents from exported chats. In your Makefile:
#
#     include path/to/templates/cite.mk
#     all: report.html report.pdf
#
# and report.html is made of report.md whenever that is newer.

CITE       ?= cite
CITE_FLAGS ?=

# A failed run leaves no half-made document behind.
.DELETE_ON_ERROR:

%.html: %.md
	$(CITE) build $(CITE_FLAGS) --to html -o $@ $<

%.docx: %.md
	$(CITE) build $(CITE_FLAGS) --to docx -o $@ $<

%.pdf: %.md
	$(CITE) build $(CITE_FLAGS) --to pdf -o $@ $<

%.epub: %.md
	$(CITE) build $(CITE_FLAGS) --to epub -o $@ $<
