"""Flash with and without protection against power loss, by model: one answers a flush at once, the other writes first.

Sources: makers' data sheets ("power loss protection", "PLP", "enhanced power loss data protection"), and the names that
their disks give themselves. A name that is on neither list says nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

_PROTECTED = (
    r"\bMZ(?:7(?:GE|KH|KM|KN|L3|LH|LM|WD)|1L[2BW]|QL[2BW]|WL[JLORU]|PL[JL]|ILT|ILG|ILS)",  # Samsung PM, SM
    r"\b(?:PM|SM)(?:8[468]3|893|9[68]3|9A3|17[234]\d|16[345]\d)",
    r"\bSSDSC2[BK][ABGXP]",  # Intel and Solidigm DC S3xxx, D3-S4xxx
    r"\bSSDP(?:E2[DKMN]|EDM[DWEX]|ED1|E21|F2|FWN|FVK|FKK)",  # P3xxx to P5xxx, D5, D7, Optane
    r"\bMicron_?\s?(?:5[1-4]\d0|6[5]\d0|7[3-6]\d0|9[1-5]\d0|M5[01]0DC)",
    r"\bSEDC(?:[56]00|1000|1500|2000|3000)|\bDC(?:[56]00[MR]|1000[BM]|1500M|2000B|3000ME)\b",  # Kingston
    r"\bK(?:CM|CD|PM)[5-9X]|\bTHNSN(?:81|J960PC|8960)|\bKHK6",  # Kioxia CM, CD, PM, HK
    r"\bWU(?:S|S4|S5)[34567]?[BC]|\bHUS(?:MR|MM|SL)|\bSDL[BF]1|\bUltrastar DC SN",  # Western Digital, HGST, SanDisk
    r"\b(?:XA|XS|XP)\d+[LMST]E\d|\bZA\d+N[MX]\d|\bNytro",  # Seagate Nytro, IronWolf 110 and Pro 125
)
_UNPROTECTED = (
    r"\bSamsung (?:SSD|Portable SSD)\b|\bSSD [89][1-9]0 (?:EVO|PRO|QVO)|\b[89][1-9]0 (?:EVO|PRO|QVO)\b",
    r"\bMZ(?:7(?:LN|TE|TY|PC|PD)|N|V)[A-Z0-9]",  # what makers of computers build in
    r"\bCT\d+[A-Z]+\d|\bCrucial\b",
    r"\bWDS\d+[GT]|\bWD_BLACK\b|\bWD (?:Blue|Green|Red|Black|PC)\b|\bPC SN\d",
    r"\bSanDisk (?:SDSSD|SSD|Ultra|Extreme)|\bSDSSD",
    r"\bKINGSTON S(?:A400|A2000|NV|KC|FYR|V300|UV)|\bINTEL SSD(?:PEK|SCKK|SC2CT|SC2BW|SC2KW)",
    r"\bMicron_?\s?(?:1[13]00|2[234]\d0|3[45]00)|\bKIOXIA-EXCERIA|\bKBG\d|\bKXG\d",
    r"\b(?:ADATA|Corsair|Lexar|Sabrent|TEAM|Patriot|PNY|Netac|Fanxiang|Intenso|Transcend|SHG?PP?\d)\b",
)
_IS_PROTECTED, _IS_NOT = (re.compile("|".join(names), re.IGNORECASE) for names in (_PROTECTED, _UNPROTECTED))


@lru_cache(maxsize=256)
def protected_by_model(model: str) -> bool | None:
    """Return whether flash of this name is protected against power loss; None where the name doesn't tell."""
    if _IS_PROTECTED.search(model):
        return True
    return False if _IS_NOT.search(model) else None
