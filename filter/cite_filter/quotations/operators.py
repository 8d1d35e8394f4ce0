"""Words that turn a sentence round: without one of them, or with another, it says something else.

They only name what was found, and warn; no verdict rests on their being complete.
"""

from __future__ import annotations

from cite_filter.quotations.letters import letters

_NEGATIONS = """
not no never none nor neither without cannot nobody nothing nowhere hardly barely unless
nicht kein keine keinen keinem keiner keines nie niemals ohne weder
ne pas jamais aucun aucune sans ni nul nunca sin tampoco ningún ninguna
non mai senza nessuno nessuna né não nem sem nenhum niet geen nooit zonder
ไม่ مگر نیست فقط نه nie bez ani żaden není nikdy inte ingen aldrig utan ikke aldri uten uden
не ни нет без никогда ні немає δεν όχι μη χωρίς ποτέ değil yok hiç
لا ليس ليست ولم ولا وليس فلم فلا لم لن بدون غير לא אין בלי नहीं न मत बिना
"""
_EXCEPTIONS = """
but unless except provided only although though however if until save excluding
aber außer sofern obwohl nur wenn falls mais sauf sinon bien quoique si seulement
uniquement exclusivement lediglich allenfalls únicamente unicamente
pero salvo excepto aunque solo sólo ma tranne sebbene soltanto mas exceto embora apenas
maar tenzij behalve hoewel ale chyba oprócz men utom om undtagen unntatt
но кроме если хотя только але крім якщо αλλά εκτός αν ama ancak hariç
لكن إلا إذا אבל אלא אם लेकिन परंतु यदि
"""
_PREFIXES = """
non un in im ir il anti dis ex de mis pseudo quasi semi pre post counter contra under over
nicht sans hors no não niet ikke inte не без
"""
_SCALES = """
hundred thousand million millions billion billions trillion trillions bn mn mio mrd tsd tn percent
lakh crore dozen pct hundreds tenths
tausend million millionen milliarde milliarden billionen prozent mille milliers millions
milliard milliards mil millón millones millardo billones mila milione milioni miliardo
miliardi percento cento milhão milhões bilhão bilhões miljoen miljard procent tysiąc tysiące tysięcy
milion miliony milionów miliard miliardy miliardów procenta miljon miljoner miljard miljarder
тыс тысяч тысячи млн миллион миллиона миллионов млрд миллиард миллиарда миллиардов процент процента
процентов χιλιάδες εκατομμύρια εκατ δισεκατομμύρια δισ bin milyon milyar ألف مليون مليار
हजार लाख करोड़ अरब प्रतिशत
"""
_MODALS = "may might must shall should will would can could"
_DOUBTS = """
falsely wrongly allegedly supposedly purportedly reportedly rarely seldom doubtfully
angeblich fälschlich vermeintlich kaum selten prétendument faussement rarement
supuestamente falsamente raramente presuntamente falsamente presumibilmente якобы редко
"""
_DEGREES = """
all some most every each few many any
least more less fewer greater increase increased increases decrease decreased decreases rise
rose fall fell before after under over above below and or up down high higher low lower
fail fails failed partly almost nearly about
"""

NEGATIONS = frozenset(_NEGATIONS.split())
EXCEPTIONS = frozenset(_EXCEPTIONS.split())
"""Words with which what was quoted is taken back or bounded."""
PREFIXES = frozenset(_PREFIXES.split())
"""What turns the word behind a hyphen round, or bounds it."""
SCALES = frozenset(_SCALES.split())
"""Words without which a number before them is another."""
SIGNS_OF_NEGATION = (*"不没沒未無无非勿莫别別", "没有", "沒有", "ไม่")
MODALS = frozenset(_MODALS.split())
DOUBTS = frozenset(_DOUBTS.split())
OPERATORS = NEGATIONS | EXCEPTIONS | MODALS | frozenset(_DEGREES.split())
"""Also those of degree and direction, in English."""


def turns_round(word: str) -> bool:
    """Whether `word`, in any case, is an operator, or ends in English for `not`."""
    plain = word.lower().strip(".,;:!?()[]\"'“”„‘’«»‹›¿¡…—–")
    return plain in OPERATORS or letters(word) in OPERATORS or plain.endswith(("n't", "n’t"))
