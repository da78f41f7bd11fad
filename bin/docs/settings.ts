import { settings } from '../../src/config/environment.ts'
import { localSettings } from '../../src/config/local-config.ts'

/** What the format of a setting says, read from its schema: a schema of valibot carries what it was made of. */
interface Format {
  type: string
  default?: string | undefined
  options?: readonly string[]
  wrapped?: Format
  pipe?: readonly { type: string; requirement?: unknown }[]
}

/** A setting as its format describes it. */
export interface Described {
  /** As it is written in the environment; undefined if there is none. */
  fallback: string | undefined
  isRequired: boolean
  /** The values that are allowed, if they are few. */
  options: readonly string[]
  least: number | undefined
  most: number | undefined
}

const formats: Record<string, Format> = { ...localSettings.entries, ...settings.entries }

/** What applies where a setting is not set and its format has no default. */
const elsewhere: Record<string, string> = { LIMIT_TOKENS_PER_MONTH: '10000000' }

/** Reads the format of a setting. */
export function describe(name: string): Described {
  const format = formats[name]
  if (!format) throw new Error(`${name} is not a setting`)
  const { type, default: fallback = elsewhere[name] } = format
  const known = fallback === undefined || fallback === '' ? undefined : fallback
  return {
    fallback: known,
    isRequired: type !== 'optional',
    options: optionsOf(format),
    least: boundOf(format, 'min_value'),
    most: boundOf(format, 'max_value'),
  }
}

/** The values that are allowed, as a sentence. Without an upper bound of its own a number may have nine digits. */
export function ruleOf(name: string): string[] {
  const { options, least, most } = describe(name)
  if (options.length > 0 && options[0] !== 'true') return [`One of ${options.join(', ')}.`]
  if (least === undefined || most === undefined) return []
  return [most === 1_000_000_000 ? `At least ${least}.` : `${numeral(least)} to ${numeral(most)}.`]
}

const numeral = (value: number): string => value.toLocaleString('en-US')

const optionsOf = ({ options, wrapped }: Format): readonly string[] => options ?? (wrapped ? optionsOf(wrapped) : [])

function boundOf({ pipe = [], wrapped }: Format, type: string): number | undefined {
  const bound = pipe.find((action) => action.type === type)?.requirement
  if (typeof bound === 'number') return bound
  return wrapped ? boundOf(wrapped, type) : undefined
}
