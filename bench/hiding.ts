import { randomBytes } from 'node:crypto'
import { hideSecrets, type Hiding } from '../src/hiding/hiding.ts'
import { visible } from '../src/models/visible.ts'
import { median } from './shared/statistics.ts'

/**
 * `npm run bench -- hiding`: how long secrets are sought in a mebibyte, in milliseconds of processor time, by the kind of
 * secrets and of texts; some of both are made to take long. Then the same for words in pieces of four characters, in
 * microseconds for each piece, and how long it takes to make a mebibyte of unseen signs visible.
 */
const mebibyte = 1024 * 1024
const filled = (text: string) => text.repeat(Math.ceil(mebibyte / text.length)).slice(0, mebibyte)
const many = (count: number, secretOf: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => secretOf(i))
const token = () => `sk_live_${randomBytes(30).toString('base64url')}`

const secrets: Record<string, string[]> = {
  '3 tokens': many(3, token),
  '50 tokens': many(50, token),
  '200 tokens': many(200, token),
  '5 that begin alike': many(5, (index) => 'a'.repeat(3000 + index)),
  '50 that begin alike': many(50, (index) => 'a'.repeat(3000 + index)),
  '200 that begin alike': many(200, (index) => 'a'.repeat(3000 + index)),
  '200 that end alike': many(200, (index) => `${index + 100}${'a'.repeat(40)}`),
}
const texts: Record<string, string> = {
  prose: filled('The quick brown fox jumps over the lazy dog, and rests at https://example.org/?a=b%2Fc. '),
  base64: randomBytes((mebibyte * 3) / 4).toString('base64'),
  'a…': filled('a'),
  'a…b': filled(`${'a'.repeat(15)}b`),
  'a…b=3D': filled(`${'a'.repeat(15)}b=3D`),
  '100a…': filled(`100${'a'.repeat(39)}`),
  '%61': filled('%61'),
  '&#00097;': filled('&#00097;'),
  '\\\\': filled('\\'),
}

/** In milliseconds of this thread, whatever else the machine does. */
function msOf(work: () => unknown): number {
  const took = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  return median(took)
}

const pieces = mebibyte / 8 / 4

/** An eighth of the text is what watchers are shown at most. */
function speak(hiding: Hiding, text: string): void {
  const words = hiding.words()
  for (let piece = 0; piece < pieces; piece += 1) words.add(text.slice(piece * 4, piece * 4 + 4))
  words.end(hiding.text)
}

for (const [kind, known] of Object.entries(secrets)) {
  const hiding = hideSecrets(known)
  console.log(`${kind}: made in ${msOf(() => hideSecrets(known)).toFixed(0)} ms`)
  for (const [name, text] of Object.entries(texts)) {
    const whole = msOf(() => hiding.text(text)).toFixed(0)
    const piece = ((msOf(() => speak(hiding, text)) * 1000) / pieces).toFixed(1)
    console.log(`  ${name.padEnd(10)} ${whole.padStart(4)} ms a mebibyte ${piece.padStart(6)} µs a piece`)
  }
}
for (const sign of ['\u200D', '\uFE0F', 'é\u200D', '\u{E0041}']) {
  console.log(`visible ${JSON.stringify(sign)}: ${msOf(() => visible(filled(sign))).toFixed(0)} ms a mebibyte`)
}
