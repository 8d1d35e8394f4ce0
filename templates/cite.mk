# cite.mk: documents from exported chats and structured answers. In your Makefile:
#
#     include path/to/templates/cite.mk
#     all: report.html report.pdf
#
# and report.html is made of report.md, or of the answer report.json, whenever that is newer.

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

%.html: %.json
	$(CITE) build $(CITE_FLAGS) --to html -o $@ $<

%.docx: %.json
	$(CITE) build $(CITE_FLAGS) --to docx -o $@ $<

%.pdf: %.json
	$(CITE) build $(CITE_FLAGS) --to pdf -o $@ $<

%.epub: %.json
	$(CITE) build $(CITE_FLAGS) --to epub -o $@ $<
