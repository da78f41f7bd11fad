import { settings } from '../../src/config/environment.ts'
import { localSettings } from '../../src/config/local-config.ts'

/** The format of a setting, read from its schema. A Valibot schema exposes its parts. */
interface Format {
  type: string
  default?: string | undefined
  options?: readonly string[]
  wrapped?: Format
  pipe?: readonly { type: string; requirement?: unknown }[]
}

export interface Described {
  /** The default as written in the environment; undefined if there is none. */
  fallback: string | undefined
  isRequired: boolean
  /** The allowed values, if they are few. */
  options: readonly string[]
  least: number | undefined
  most: number | undefined
}

const formats: Record<string, Format> = { ...localSettings.entries, ...settings.entries }

/** Defaults that the format does not have. */
const elsewhere: Record<string, string> = { LIMIT_TOKENS_PER_MONTH: '10000000' }

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

/** The allowed values, as a sentence. A number without an upper bound may have nine digits. */
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
