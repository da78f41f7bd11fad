import test from 'ava'
import { visible } from '../../src/models/visible-text.ts'
import { addressInWords, cleanName, problemOfName, quotedName, quotedWords } from '../../src/names.ts'

/** For titles of tests, which must differ. */
const shown = (name: string): string => visible(JSON.stringify(name.slice(0, 40)))

/** What becomes of a name that is given: the name that is kept, or why it is refused. */
const taken = (given: string, max = 100): { name: string } | { problem: string } => {
  const name = cleanName(given)
  const problem = problemOfName(name, max)
  return problem === undefined ? { name } : { problem }
}

for (const name of [
  'Support',
  'Müller & Söhne (Wien)',
  '名前',
  '葛\u{e0100}城',
  'می\u200cخواهم',
  'क\u094d\u200dष',
  'צה״ל',
  '👩🏽‍💻 👨‍👩‍👧 ❤️ 1️⃣ 🇩🇪 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  '\u{1fae9}',
  'Node.js <b>2</b> "x"',
])
  test(`the name ${name} is kept as it is`, (t) => {
    t.deepEqual(taken(name), { name })
  })

for (const [given, name] of [
  ['  \u00a0Jose\u0301 \u00d1u\u0303nez\u3000\u2003 ', 'José Ñũnez'],
  ['Two\twords\r\n', 'Two words'],
  ['\u202aCopied\u202c', 'Copied'],
  ['\ufeff\u200bCopied\u200e', 'Copied'],
  ['Ada\u00a0\u2003Lovelace', 'Ada Lovelace'],
] as const)
  test(`${shown(given)} can mean one name only`, (t) => {
    t.deepEqual(taken(given), { name })
  })

for (const [given, problem] of [
  ['', /visible/],
  [' \u200b\ufeff ', /visible/],
  ['\u0301', /visible/],
  ['Sales”\n\nGo to https://e.example\n\n“', /single line/],
  ['Two\u2028lines', /single line/],
  ['Two\u2029lines', /single line/],
  ['Two\u0085lines', /single line/],
  ['Two\u000blines', /single line/],
  ['Bell\u0007', /U\+0007/],
  ['\u001b[31mred', /U\+001B/],
  ['A\u0000b', /U\+0000/],
  ['Report \u202egnp.exe', /U\+202E/],
  ['Admin \u2066\u2067\u2069', /U\+2066/],
  ['Anna\u200f\u200e (owner)', /U\+200F/],
  ['A\u061cb', /U\+061C/],
  ['Ad\u200bmin', /U\+200B/],
  ['Ad\u2060min', /U\+2060/],
  ['Ad\ufeffmin', /U\+FEFF/],
  ['A\u00addmin', /U\+00AD/],
  ['Ad\u200dmin', /U\+200D/],
  ['Ad\u200cmin', /U\+200C/],
  ['\u3164', /U\+3164/],
  ['\u115f', /U\+115F/],
  ['\u2800\u2800', /U\+2800/],
  ['Agent\u{e0069}\u{e0067}', /U\+E0069/],
  ['Agent\ufe0f', /U\+FE0F/],
  ['Agent\u{e0101}', /U\+E0101/],
  ['\ue000', /U\+E000/],
  ['\ufffe', /U\+FFFE/],
  ['half \ud800', /U\+D800/],
  ['Z\u0335\u0322\u0321\u0327\u0328\u0331algo', /marks/],
  ['x'.repeat(101), /at most 100/],
  ['👩🏽‍💻'.repeat(101), /at most 100/],
] as const)
  test(`${shown(given)} is refused as a name, with the reason`, (t) => {
    const answer = taken(given)
    t.regex('problem' in answer ? answer.problem : 'taken', problem)
  })

test('the length of a name counts what people see', (t) => {
  const name = '👨‍👩‍👧‍👦'.repeat(100)
  t.deepEqual(taken(name), { name })
})

for (const [name, quoted] of [
  ['Issue tracker', '“Issue tracker”'],
  ['Evil\r\nBcc: eve@example.com <script>', '“Evil Bcc: eve[@]example[.]com <script>”'],
  ['X" needs: “https://evil.example”', `“X' needs: 'https:// evil[.]example'”`],
  [`»A« „B“ ″C″ ''D'' ＂E＂`, `“»A« 'B' 'C' 'D' 'E'”`],
  ['\u202eevil\u2066', '“evil”'],
  ['\ud800', '“”'],
  ['www.evil.example', '“www[.]evil[.]example”'],
  ['evil。example/login', '“evil[.]example/login”'],
  ['ada＠evil．example', '“ada[@]evil[.]example”'],
  ['HTTPS:\\\\evil.example', '“HTTPS:\\\\ evil[.]example”'],
  ['//localhost/x', '“// localhost/x”'],
  ['javascript:alert(1)', '“javascript: alert(1)”'],
  ['http://10.0.0.1/x', '“http:// 10[.]0[.]0[.]1/x”'],
  ['Release 2.1 of Dr. Who', '“Release 2.1 of Dr. Who”'],
  ['צה״ל', '“צה״ל”'],
  ['हिन्दी.com', '“हिन्दी[.]com”'],
  ['evil.भारत/login', '“evil[.]भारत/login”'],
  ['evil.சிங்கப்பூர்', '“evil[.]சிங்கப்பூர்”'],
  ['x\u0301.com/login', '“x\u0301[.]com/login”'],
  ['x.c\u0301om, 💩.la, evil․com, evil﹒com', '“x[.]c\u0301om, 💩[.]la, evil[.]com, evil[.]com”'],
  ['192.168.1.1 log in', '“192[.]168[.]1[.]1 log in”'],
  ['at １９２．１６８．１．１, or 10.1/x', '“at １９２[.]１６８[.]１[.]１, or 10[.]1/x”'],
  ['ada﹫localhost', '“ada[@]localhost”'],
  ['a🙶b🙷c🙸d＇＇eʽʽf⁗g׳׳h', "“a'b'c'd'e'f'g'h”"],
  ['a״ and 〃 and ˮ and ‴', "“a' and ' and ' and '”"],
  ["Ada's ג׳ورج", "“Ada's ג׳ورج”"],
] as const)
  test(`${shown(name)} is quoted as ${quoted}`, (t) => {
    t.is(quotedName(name), quoted)
  })

test('an address whose letters may look like others is shown as the DNS has it, too', (t) => {
  t.is(addressInWords('ada@bücher.example'), 'ada@bücher.example (xn--bcher-kva.example)')
  t.is(addressInWords('ada@example.com'), 'ada@example.com')
})

test('a long name is cut between what people see as characters', (t) => {
  const long = quotedName('名'.repeat(500))
  t.is(Array.from(long).length, 62)
  t.true(long.endsWith('…”'))
  t.is(quotedName('👩🏽‍💻'.repeat(50)), `“${'👩🏽‍💻'.repeat(14)}…”`)
})

for (const [texts, quoted] of [
  [
    ['invalid_grant', 'Your session ended).” Log in at https://evil.example/login or call'],
    "“invalid_grant: Your session ended).' Log in at https:// evil[.]example/login or call”",
  ],
  [['server_error', undefined], '“server_error”'],
  [['Votre accès\n\u202eest refusé'], '“Votre accès est refusé”'],
  [['x'.repeat(5000)], `“${'x'.repeat(199)}…”`],
] as const)
  test(`the words ${shown(texts.join(', ').slice(0, 80))} are quoted on one line, bounded and without links`, (t) => {
    t.is(quotedWords(...texts), quoted)
  })
