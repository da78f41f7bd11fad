import { readFileSync } from 'node:fs'
import { distance } from 'fastest-levenshtein'
import { ConfigError, present, type Environment } from './environment.ts'
import { settingNames } from './local-config.ts'
import { fileVariableOf } from './setting-files.ts'

/** Prefixes that only our settings use. Other programs also have settings such as STRIPE_…. */
const ownBeginnings = ['LIMIT_', 'RATE_LIMIT_', 'OUTGOING_']

/** The names of all variables that are read, besides those that files name. */
const known = new Set(settingNames.flatMap((name) => [name, fileVariableOf(name) ?? name]))

/**
 * Refuses unknown variables that resemble a setting: a misspelled REGISTRATION would leave registration open. Variables
 * of other programs are ignored. Throws a ConfigError that names every one.
 */
export function refuseUnknown(given?: Environment): void {
  const env = present(given)
  const isNamed = namedInFiles(env)
  const problems = Object.keys(env).flatMap((name) =>
    known.has(name) || isLink(env[name]) || isNamed(name) ? [] : problemsOf(name, env),
  )
  if (problems.length > 0) throw new ConfigError(problems)
}

/** Whether a variable is one of our settings, or named by a file of settings: all that another process needs. */
export function settingsAmong(env: Record<string, string>): (name: string) => boolean {
  const isNamed = namedInFiles(env)
  return (name) => known.has(name) || isNamed(name)
}

function namedInFiles(env: Record<string, string>): (name: string) => boolean {
  const texts = [env['MODELS_FILE'], env['OIDC_PROVIDERS_FILE']].map(textOf)
  return (name) =>
    texts.some(
      (text) => text.includes(JSON.stringify(name.replace(/_FILE$/, ''))) || text.includes(JSON.stringify(name)),
    )
}

/** Kubernetes and Docker set such variables for a service whose name is the beginning of a setting. */
const isLink = (value = ''): boolean => /^(?:tcp|udp):\/\//.test(value)

/** An unreadable file is refused elsewhere. */
function textOf(path: string | undefined): string {
  try {
    return path === undefined ? '' : readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function problemsOf(name: string, env: Environment): string[] {
  const meant = [...known].find((one) => isNear(name.toUpperCase(), one, env[one] !== undefined))
  if (meant !== undefined) return [`${name} is not a setting. Did you mean ${meant}?`]
  const beginning = ownBeginnings.find((one) => name.startsWith(one))
  const others = settingNames.filter((one) => beginning !== undefined && one.startsWith(beginning))
  return others.length > 0 ? [`${name} is not a setting. Settings with this prefix: ${others.join(', ')}`] : []
}

const lettersOf = (name: string): string => name.replaceAll(/[^A-Z\d]/g, '')

/** The same letters, or the same words with some misspelled. PORT and HOST resemble too many others. */
function isNear(name: string, wanted: string, isSet: boolean): boolean {
  const letters = lettersOf(wanted).length
  if (letters < 6) return false
  if (lettersOf(name) === lettersOf(wanted)) return true
  const words = name.split('_')
  const wantedWords = wanted.split('_')
  // If the short one is set, a name one letter away belongs to another program, such as DATABASE_URI.
  const mayBeShort = letters >= 7 && !isSet
  return (
    words.length === wantedWords.length &&
    wantedWords.every((word, index) => isMistyped(words[index] ?? '', word, mayBeShort))
  )
}

/** The longer a word, the more of its letters may be wrong: DATABASE_PORT is not DATABASE_POOL. */
function isMistyped(written: string, word: string, mayBeShort: boolean): boolean {
  const most = word.length >= 8 ? 2 : word.length >= 5 || (word.length >= 3 && mayBeShort) ? 1 : 0
  return lettersAway(written, word) <= most
}

/** Two swapped letters are one mistake. */
function lettersAway(written: string, word: string): number {
  const away = distance(written, word)
  const sorted = (text: string): string => Array.from(text).toSorted().join('')
  return away === 2 && sorted(written) === sorted(word) ? 1 : away
}
