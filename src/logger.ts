import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino'

export type { Logger } from 'pino'

/** Members whose value is a secret or somebody's content whatever it looks like. */
const secretKeys =
  /"(authorization|cookie|set-cookie|password|token|access_token|accessToken|refresh_token|refreshToken|secret|webhookSecret|x-webhook-secret|apiKey|credential|code_verifier|payload|prompt|systemPrompt|arguments|result)":("(?:[^"\\]|\\.)*"|[\d.eE+-]+|\{[^{}]*\}|\[[^[\]]*\])/gi

/** Texts that are secrets wherever they stand: our own tokens by their prefix, JWTs, bearer headers, URL passwords. */
const secretValues: [RegExp, string][] = [
  [/\bsy_[a-z]+_[\w-]{16,}/g, '[token]'],
  [/\bwhsec_[\w+/=-]{16,}/g, '[secret]'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '[token]'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{4,}/gi, '$1 [token]'],
  [/(:\/\/[^/\s:@"]+):[^/\s@"]+@/g, '$1:[password]@'],
]

/** Takes secrets out of one finished log line; by key first, by value after. */
export function redact(line: string): string {
  let clean = line.replace(secretKeys, '"$1":"[redacted]"')
  for (const [pattern, replacement] of secretValues) clean = clean.replace(pattern, replacement)
  return clean
}

/**
 * Structured logs, one JSON object a line, on standard output unless a destination is given. Errors are reduced to
 * what a developer needs: libraries attach whole requests, prompts included, to the errors they throw.
 */
export function createLogger(level: string, name: string, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    serializers: { err: plainError },
    hooks: { streamWrite: redact },
  }
  return destination ? pino(options, destination) : pino(options)
}

function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const { type, message, stack } = stdSerializers.err(error)
  const { code, privateDetail } = error as { code?: unknown; privateDetail?: unknown }
  const cause = error.cause instanceof Error ? plainError(error.cause) : undefined
  return { type, code, message, privateDetail, stack: frames(stack), cause }
}

/** The stack without its first line, which repeats the message. */
const frames = (stack = ''): string =>
  stack
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .join('\n')
