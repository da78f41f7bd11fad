import { readArguments } from '../arguments.ts'

export type Action =
  | { kind: 'sleep'; seconds: number }
  | { kind: 'fail'; status: number }
  | { kind: 'say'; text: string }
  | { kind: 'call'; tool: string; arguments: string }

export interface Script {
  /** The actions of each step. Every step except the last has calls, because a step without calls would end the run. */
  steps: Action[][]
  /** Text between `[[` and `]]` that is not a directive, cut to 60 characters. */
  unreadable: string[]
}

type Directive = { action?: Action | undefined; opensStep: boolean; unreadable?: string; end: number }

/** The text may be a payload's `action` of a megabyte, and the end of each directive must be searched. */
const maxDirectives = 200
const maxArguments = 64 * 1024

/**
 * Reads the directives in a text as a script:
 *
 * - `[[sleep 95]]` waits, seconds with up to three decimals
 * - `[[fail 500]]` fails as a real provider would with that status, 400 to 599
 * - `[[call tool {"json": [1]}]]` asks for a call; without arguments `{}`
 * - `[[say text]]` says the text
 * - `[[then]]` opens the next step
 *
 * Calls that follow each other belong to one step. `sleep`, `fail` and `then` after a call open the next one.
 */
export function readScript(text: string): Script {
  const steps: Action[][] = []
  const unreadable: string[] = []
  for (let start = text.indexOf('[['), read = 0; start >= 0; read += 1) {
    if (read === maxDirectives) {
      unreadable.push(`more than ${maxDirectives} directives`)
      break
    }
    const directive = readDirective(text, start)
    if (directive.unreadable !== undefined) unreadable.push(directive.unreadable)
    if (steps.length === 0 || (directive.opensStep && steps.at(-1)?.some(({ kind }) => kind === 'call'))) steps.push([])
    if (directive.action) steps.at(-1)?.push(directive.action)
    start = text.indexOf('[[', directive.end)
  }
  return { steps: steps.filter((actions) => actions.length > 0), unreadable }
}

function readDirective(text: string, start: number): Directive {
  const closing = text.indexOf(']]', start)
  const end = closing < 0 ? text.length : closing + 2
  const body = closing < 0 ? '' : text.slice(start + 2, closing).trim()
  const call = readCall(text, start)
  if (call) return call
  if (body === 'then') return { opensStep: true, end }
  const action = readAction(body)
  if (action) return { action, opensStep: action.kind !== 'say', end }
  return { opensStep: false, unreadable: text.slice(start, Math.min(end, start + 60)), end }
}

function readAction(body: string): Action | undefined {
  const [, seconds] = /^sleep +(\d{1,5}(?:\.\d{1,3})?)$/.exec(body) ?? []
  if (seconds) return { kind: 'sleep', seconds: Number(seconds) }
  const [, status] = /^fail +([45]\d\d)$/.exec(body) ?? []
  if (status) return { kind: 'fail', status: Number(status) }
  const text = /^say\s/.test(body) ? body.slice(4).trim() : ''
  return text === '' ? undefined : { kind: 'say', text }
}

/** The arguments may contain `]]`, so braces mark their end. */
function readCall(text: string, start: number): Directive | undefined {
  const head = /\[\[ *call +([\w.-]+)\s*/y
  head.lastIndex = start
  const [, tool] = head.exec(text) ?? []
  if (!tool) return undefined
  const from = head.lastIndex
  const to = objectEnd(text, from)
  const tail = /\s*\]\]/y
  tail.lastIndex = to
  const written = text.slice(from, to)
  if (!tail.test(text) || !readArguments(written)) return undefined
  return { action: { kind: 'call', tool, arguments: written || '{}' }, opensStep: false, end: tail.lastIndex }
}

/** Where the JSON object that begins at `from` ends; `from` itself if none begins there or it never ends. */
function objectEnd(text: string, from: number): number {
  const token = /"(?:[^"\\]|\\.)*\\?(?:"|$)|[{}]/gs
  token.lastIndex = from
  if (text[from] !== '{') return from
  let depth = 0
  for (let found = token.exec(text); found && token.lastIndex - from < maxArguments; found = token.exec(text)) {
    if (found[0] === '{') depth += 1
    if (found[0] === '}') depth -= 1
    if (depth === 0) return token.lastIndex
  }
  return from
}
