import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'

/** What docker-compose.yml says about a service, as far as `npm run cluster` and `npm run check -- image` follow it. */
export interface Service {
  image: string
  environment: Record<string, string>
  command?: string[]
  secrets?: string[]
  volumes?: string[]
  tmpfs?: string[]
  read_only?: boolean
  mem_limit?: string
  stop_grace_period?: string
  healthcheck?: { test: string[] }
}

type Written = Partial<Omit<Service, 'command'>> & { image: string; command?: string | string[] }

/**
 * The services of a Compose file, with `${NAME:-default}` and `${NAME:?message}` replaced by the values of `variables`.
 * Throws if the file requires one that is missing.
 */
export function readServices(text: string, variables: Record<string, string>): Record<string, Service> {
  const read = load(text, { schema: CORE_SCHEMA.withTags(mergeTag) })
  const { services } = replaceTexts(read, (each) => interpolate(each, variables)) as {
    services: Record<string, Written>
  }
  return Object.fromEntries(Object.entries(services).map(([name, written]) => [name, asService(written)]))
}

/** A command line without quotes is the list of its words. */
const asService = ({ command, environment = {}, ...rest }: Written): Service => ({
  ...rest,
  environment,
  ...(command !== undefined && { command: typeof command === 'string' ? command.split(/\s+/) : command }),
})

/** Compose's own substitution: `${NAME}`, `${NAME:-default}`, `${NAME:?message}` and `$$`. */
const interpolate = (text: string, variables: Record<string, string>): string =>
  text.replaceAll(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g, (whole, name?: string, mark?: string, rest = '') => {
    if (name === undefined) return '$'
    const value = variables[name]
    if (value) return value
    if (mark === '-') return rest
    throw new Error(`${name} is not set: ${rest || whole}`)
  })

/** The addresses of Compose's network and its files of secrets, as they are called here. */
export const moved = (environment: Record<string, string>, places: Record<string, string>): Record<string, string> =>
  replaceTexts(environment, (text) =>
    Object.entries(places).reduce((done, [from, to]) => done.replaceAll(from, to), text),
  ) as Record<string, string>

function replaceTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) return value.map((one) => replaceTexts(one, replace))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaceTexts(one, replace)]))
}

const units: Record<string, number> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** Bytes of a size such as `512m` or `1g`. */
export function bytesOf(size: string): number {
  const [, number = '', unit = ''] = /^(\d+)([kmg])b?$/i.exec(size) ?? []
  const factor = units[unit.toLowerCase()]
  if (factor === undefined) throw new Error(`${size} is not a size.`)
  return Number(number) * factor
}
