"""What lists of sources are called, in the languages that answers are written in."""

from __future__ import annotations

import re
import unicodedata

_NAMES = """
references|reference list|list of references|references cited|cited references
sources|source list|list of sources|sources cited|cited sources|sources and references
references and sources|web sources|citations|cited works|works cited|bibliography|endnotes
quellen|quellenverzeichnis|quellenangaben|literatur|literaturverzeichnis|referenzen|belege
einzelnachweise|nachweise|quellen und literatur|zitierte werke|verwendete quellen
références|références bibliographiques|sources citées|ouvrages cités|œuvres citées|bibliographie
liste des sources|sources et références
fuentes|fuentes citadas|fuentes consultadas|referencias|referencias bibliográficas|bibliografía
obras citadas|citas
fontes|fontes citadas|referências|referências bibliográficas|referências citadas|bibliografia
trabalhos citados|citações
fonti|fonti citate|riferimenti|riferimenti bibliografici|opere citate|note bibliografiche
bronnen|bronvermelding|bronnenlijst|referenties|geciteerde werken|literatuur|literatuurlijst
källor|källförteckning|referenser|kilder|kildeliste|referencer|referanser|litteratur
lähteet|lähdeluettelo|viitteet
źródła|cytowane prace|przypisy|zdroje|citovaná díla|použité zdroje|literatura|források|hivatkozások
surse|referințe|lucrări citate|bibliografie|izvori|reference|viri
источники|литература|список литературы|список источников|использованные источники|ссылки
источники и литература|джерела|література|список джерел|използвани източници|източници
πηγές|αναφορές|βιβλιογραφία
kaynaklar|kaynakça|alıntılanan çalışmalar|referanslar
参考文献|參考文獻|参考资料|參考資料|参考来源|參考來源|参考链接|參考連結|来源|來源|资料来源|資料來源
信息来源|数据来源|引用|引用来源|引用文献|引用的著作|文献
出典|引用元|情報源|参考資料|参照|参照元|参考リンク|ソース
참고문헌|참고 문헌|참고자료|참고 자료|출처|인용|인용 자료
المصادر|المراجع|مصادر|مراجع|المصادر والمراجع|قائمة المراجع|الأعمال المقتبس منها
מקורות|ביבליוגרפיה|עבודות שצוטטו|הפניות|רשימת מקורות
منابع|مراجع و منابع|منابع و مراجع
संदर्भ|संदर्भ सूची|स्रोत|তথ্যসূত্র|உசாத்துணை
nguồn|nguồn tham khảo|tài liệu tham khảo
sumber|referensi|daftar pustaka|karya yang dikutip|rujukan
แหล่งอ้างอิง|แหล่งที่มา|เอกสารอ้างอิง|อ้างอิง
"""
_VAGUE = frozenset(
    ("reference", "learn more", "了解详细信息", "ссылки", "引用", "參照", "参照", "ソース")
)
"""What parts of handbooks and lists of links are called as well."""
_CONVERSATION = re.compile(
    r"\w+ ?[:：] ?.*\b(?:bing|copilot)|.*必应.*|了解详细信息|learn more", re.I
)
_AROUND = re.compile(r"^[\W_]+|[\W_]+$")
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]+)*|[ivx]+)[.)、:：]*\s+")
_LONGEST = 80


def _plain(line: str) -> str:
    name = _AROUND.sub("", unicodedata.normalize("NFC", line)).casefold()
    return _AROUND.sub("", _NUMBER.sub("", name, count=1) if _NUMBER.match(name) else name)


_KNOWN = frozenset(_plain(name) for line in _NAMES.strip().split("\n") for name in line.split("|"))


def names_sources(line: str) -> bool:
    """Whether a line is what stands above a list of sources, in whatever dress.

    >>> names_sources("## 7. References:"), names_sources("**参考文献**"), names_sources("Source")
    (True, True, False)
    """
    if len(line) > _LONGEST:
        return False
    name = _plain(line)
    return name in _KNOWN or _CONVERSATION.fullmatch(name) is not None


def is_unmistakable(line: str) -> bool:
    """Whether a line that names sources is called so nowhere else: `## Reference` is.

    >>> is_unmistakable("## References"), is_unmistakable("## Reference")
    (True, False)
    """
    return names_sources(line) and _plain(line) not in _VAGUE
