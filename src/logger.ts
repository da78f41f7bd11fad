import { AsyncLocalStorage } from 'node:async_hooks'
import { pino, stdSerializers, stdTimeFunctions, type DestinationStream, type Logger } from 'pino'

export type { Logger } from 'pino'

/** Members whose value is always a secret or personal content. `-` and `_` in names are ignored. */
export const secretNames: ReadonlySet<string> = new Set(
  (
    'authorization proxyauthorization cookie setcookie password currentpassword newpassword token accesstoken ' +
    'refreshtoken sessiontoken xsessiontoken csrftoken xcsrftoken recoverycodes otpauthuri secret webhooksecret callbacksecret xwebhooksecret xgitlabtoken clientsecret apikey credential ' +
    'codeverifier payload prompt systemprompt arguments result'
  ).split(' '),
)
const isSecretName = (name: string): boolean => secretNames.has(name.toLowerCase().replaceAll(/[-_]/g, ''))

/**
 * `"name": value` in quoted JSON, and `name=value` in a quoted query or form. Lengths are bounded here and below, so a
 * hostile text costs no more than a long one.
 */
const quotedMember = /"([\w-]{1,40})"\s*:\s*("(?:[^"\\]|\\.)*"?|[\d.eE+-]+)/g
const formMember = /\b([\w-]{1,40})=([^\s&"',;]+)/g
/** A member whose value is an object, a list or quoted repeatedly: its end is unknown. */
const openMember = /(?<!\\)\\*"([\w-]{1,40})\\*"\s*:\s*[[{\\]/g

/** Texts that are secrets anywhere: our own tokens by their prefix, JWTs, bearer headers, URL passwords. */
const secretValues: [RegExp, string][] = [
  [/\bsy_[a-z]+_[\w-]{16,}/g, '[token]'],
  [/\bwhsec_[\w+/=-]{16,}/g, '[secret]'],
  [/\beyJ[\w-]{8,2000}\.[\w-]{8,8000}\.[\w-]*/g, '[token]'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{4,}/gi, '$1 [token]'],
  [/(:\/\/[^/\s:@"]+):[^/\s@"]+@/g, '$1:[password]@'],
]

/** Characters that JSON does not escape but terminals interpret: C1 controls, line separators, text direction. */
const unprintable = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Each secret name contains one of these, and each secret header value starts with one of the last two. */
const roots =
  'auth cookie passw token secret codes apikey credential verifier payload prompt arguments result bearer basic'

/**
 * Parts of every text that the patterns above change: of names, of values, and characters. Most lines have none, and
 * reading them as JSON costs more. Three patterns, because one for all of them costs twice as much.
 */
const suspicious = [
  new RegExp(roots.replaceAll(/\B/g, '[-_]*').replaceAll(' ', '|'), 'i'),
  /sy_|whsec_|eyJ|:\/\//,
  new RegExp(unprintable.source),
]

/** Redacts secrets in one finished log line, by key and by value, at any depth; the line stays one line of JSON. */
export function redact(line: string): string {
  if (!suspicious.some((part) => part.test(line))) return line
  // Once more over the whole line, because member names come from outside too.
  const clean = withoutValues(withoutMembers(line)).replaceAll(unprintable, (found) => {
    return `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
  return line.endsWith('\n') ? `${clean}\n` : clean
}

function withoutMembers(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), (name, value: unknown) => {
      if (typeof value === 'string') return isSecretName(name) ? '[redacted]' : cleanText(value)
      return isSecretName(name) && (typeof value === 'object' || typeof value === 'number') ? hidden(value) : value
    })
  } catch {
    return cleanText(line.trimEnd())
  }
}

/** A null reveals nothing. */
const hidden = (value: unknown): unknown => (value === null ? value : '[redacted]')

function cleanText(text: string): string {
  const open = [...text.matchAll(openMember)].find(([, name = '']) => isSecretName(name))
  const clean = (open ? `${text.slice(0, open.index)}"${open[1]}":[redacted]` : text)
    .replaceAll(quotedMember, (whole, name: string) => (isSecretName(name) ? `"${name}":"[redacted]"` : whole))
    .replaceAll(formMember, (whole, name: string) => (isSecretName(name) ? `${name}=[redacted]` : whole))
  return withoutValues(clean)
}

const withoutValues = (text: string): string =>
  secretValues.reduce((clean, [pattern, replacement]) => clean.replaceAll(pattern, replacement), text)

interface About {
  requestId?: string | undefined
  userId?: string | undefined
  ownerId?: string | undefined
  agentId?: string | undefined
  runId?: string | undefined
  step?: number | undefined
  sessionId?: string | undefined
  answerId?: string | undefined
  activity?: string | undefined
  attempt?: number | undefined
  provider?: string | undefined
  issuer?: string | undefined
}

const works = new AsyncLocalStorage<About>()

/** Runs the work with these members in all its log lines, in addition to those of the surrounding work. */
export const logging = <T>(about: About, work: () => T): T => works.run({ ...works.getStore(), ...about }, work)

/** Runs work without a subject, such as work for several requests. */
export const loggingAlone = <T>(work: () => T): T => works.run({}, work)

/** Adds these members to all further log lines of the current work. */
export function noteInLog(about: About): void {
  const work = works.getStore()
  if (work) Object.assign(work, about)
}

/**
 * Structured logs, one JSON object per line, on standard output by default. Errors are reduced to what a developer
 * needs: libraries attach whole requests, including prompts, to their errors.
 */
export function createLogger(level: string, name: string, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: () => ({ ...works.getStore() }),
    serializers: { err: plainError },
    hooks: { streamWrite: redact },
  }
  return pino(options, destination ?? pino.destination(buffered))
}

/**
 * Lines are written together: after 50 ms, with 16 kB, and at exit. A killed process loses the last ones. While their
 * reader is stalled, 16 MiB are kept, and further lines are dropped.
 */
const buffered = { sync: false, minLength: 16_000, periodicFlush: 50, maxLength: 16 * 1024 ** 2 }

function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const { type, message, stack } = stdSerializers.err(error)
  const { code, privateDetail } = error as { code?: unknown; privateDetail?: unknown }
  const cause = error.cause instanceof Error ? plainError(error.cause) : undefined
  return { type, code, message, privateDetail, stack: frames(stack), cause }
}

/** The stack without its first line, which repeats the message. */
const frames = (stack = ''): string | undefined =>
  stack
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .join('\n') || undefined
