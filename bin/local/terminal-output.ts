import { parseLine, type Program } from './program.ts'

/** A program may show this many different lines in a minute; the rest is only in its log file. */
const minuteMs = 60_000
const linesPerMinute = 15

/** Decides which lines of a program's output the terminal shows: each different line once a minute. */
export function createTerminalOutput(program: Program, logPath: string, say: (text: string) => void) {
  let seen = new Set<string>()
  let since = 0
  return {
    show(line: string) {
      const text = program.shown?.(line)
      if (text === undefined) return
      if (Date.now() - since > minuteMs) {
        seen = new Set()
        since = Date.now()
      }
      if (seen.has(text) || seen.size > linesPerMinute) return
      seen.add(text)
      say(seen.size > linesPerMinute ? `${program.name}: more in ${logPath}` : `${program.name}: ${text}`)
    },
  }
}

/** The levels that a terminal shows, with their labels. */
const shownLevels: Record<string, string> = { warn: 'warning', error: 'error', fatal: 'error' }

/** The visible lines of our own processes: log lines of level `warn` and above, and lines that are not log lines. */
export function showWarnings(line: string): string | undefined {
  const { level, msg, err } = parseLine(line) ?? {}
  if (level === undefined) return line.startsWith('{') || line.trim() === '' ? undefined : line
  const shown = typeof level === 'string' ? shownLevels[level] : undefined
  if (shown === undefined) return undefined
  const reason = (err as { message?: unknown } | undefined)?.message
  return `${shown}: ${String(msg)}${typeof reason === 'string' ? ` (${reason})` : ''}`
}
