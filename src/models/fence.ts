import { createHash } from 'node:crypto'
import { visible } from './visible-text.ts'

/** Kinds of fenced texts. Schemas and instructions come from the owner of the agent, the rest from strangers. */
const kinds = [
  'untrusted payload',
  'untrusted headers',
  'untrusted sites',
  'untrusted result',
  'untrusted summary',
  'untrusted steps',
  'untrusted messages',
  'agent instructions',
  'untrusted problems',
  'schema',
  'output schema',
] as const
type FenceKind = (typeof kinds)[number]

interface FencedBlock {
  kind: FenceKind
  text: string
}

/**
 * Puts a text between two lines with a mark. The mark is a hash of the text, so the text cannot contain it and cannot
 * end its own fence. The same text gives the same prompt, as replays and provider caches need. Invisible characters
 * become visible, see `visible`.
 */
export function fence(kind: FenceKind, text: string): string {
  const clean = visible(text.toWellFormed())
  const mark = markOf(clean)
  return `<<<${kind} ${mark}>>>\n${clean}\n${closing(mark)}`
}

/**
 * Splits a text into its fenced blocks, in order, and the words outside them. An imitation of a fence counts as words.
 */
export function splitFenced(text: string): { words: string; blocks: FencedBlock[] } {
  const opening = new RegExp(`^<<<(${kinds.join('|')}) ([0-9a-f]{32})>>>\n`, 'gm')
  const blocks: FencedBlock[] = []
  let words = ''
  let read = 0
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const block = blockAt(text, found, opening.lastIndex)
    if (!block) continue
    blocks.push({ kind: block.kind, text: block.text })
    words += text.slice(read, found.index)
    read = block.end
    opening.lastIndex = read
  }
  return { words: words + text.slice(read), blocks }
}

function blockAt(text: string, [, kind, mark]: RegExpExecArray, start: number) {
  const last = `\n${closing(String(mark))}`
  const end = text.indexOf(last, start)
  const inside = text.slice(start, Math.max(end, start))
  if (end < 0 || markOf(inside) !== mark) return undefined
  return { kind: kind as FenceKind, text: inside, end: end + last.length }
}

const closing = (mark: string): string => `<<<end ${mark}>>>`

/** 128 bits. The loop rules out a text that contains its own hash. Nobody can write one, but the check is free. */
function markOf(text: string): string {
  for (let salt = 0; ; salt += 1) {
    const mark = createHash('sha256').update(`${salt}:${text}`).digest('hex').slice(0, 32)
    if (!text.includes(mark)) return mark
  }
}
