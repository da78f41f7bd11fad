import { readFileSync } from 'node:fs'
import { distance } from 'fastest-levenshtein'
import { ConfigError, present, type Environment } from './environment.ts'
import { settingNames } from './local-config.ts'
import { fileVariableOf } from './setting-files.ts'

/** Beginnings of names that are those of our settings alone. Other programs have settings such as STRIPE_… as well. */
const ownBeginnings = ['LIMIT_', 'RATE_LIMIT_', 'OUTGOING_']

/** The names of all variables that are read, besides those that files name. */
const known = new Set(settingNames.flatMap((name) => [name, fileVariableOf(name) ?? name]))

/**
 * Refuses variables that are no settings, but look like one: a mistyped REGISTRATION would leave it open. Variables of
 * other programs are left alone. Throws a ConfigError that names every one.
 */
export function refuseUnknown(given?: Environment): void {
  const env = present(given)
  const texts = [env['MODELS_FILE'], env['OIDC_PROVIDERS_FILE']].map(textOf)
  const isNamed = (name: string): boolean =>
    texts.some(
      (text) => text.includes(JSON.stringify(name.replace(/_FILE$/, ''))) || text.includes(JSON.stringify(name)),
    )
  const problems = Object.keys(env).flatMap((name) =>
    known.has(name) || isLink(env[name]) || isNamed(name) ? [] : problemsOf(name, env),
  )
  if (problems.length > 0) throw new ConfigError(problems)
}

/** What Kubernetes and Docker set for a service that is named like the beginning of a setting. */
const isLink = (value = ''): boolean => /^(?:tcp|udp):\/\//.test(value)

/** A file that cannot be read is refused elsewhere. */
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

/** The same letters, or the same words but for some that are mistyped. PORT and HOST are near too many others. */
function isNear(name: string, wanted: string, isSet: boolean): boolean {
  const letters = lettersOf(wanted).length
  if (letters < 6) return false
  if (lettersOf(name) === lettersOf(wanted)) return true
  const words = name.split('_')
  const wantedWords = wanted.split('_')
  // If the short one is set, a name one letter away is that of another program, such as DATABASE_URI.
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

/** Two letters in the wrong order are one mistake. */
function lettersAway(written: string, word: string): number {
  const away = distance(written, word)
  const sorted = (text: string): string => Array.from(text).toSorted().join('')
  return away === 2 && sorted(written) === sorted(word) ? 1 : away
}
