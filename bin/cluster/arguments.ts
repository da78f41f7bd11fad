import { parseArgs } from 'node:util'

export const usage = `npm run cluster [-- --fresh] [--apis 2] [--workers 3] [--port 8443] [conformance …]

Starts what docker-compose.yml describes, without containers: Postgres, PgBouncer, the Temporal server, API processes,
workers, and Caddy as TLS proxy. State is in .data/cluster; --fresh deletes it first. Ctrl-C stops everything.
"conformance" runs npm run conformance with the words after it, and exits with its code.`

/** Throws for words that it does not know. */
export function readArguments(words: string[]) {
  const text = { type: 'string' } as const
  const options = {
    help: { type: 'boolean' },
    fresh: { type: 'boolean', default: false },
    apis: text,
    workers: text,
    port: text,
  } as const
  // What follows belongs to the other command.
  const at = words.indexOf('conformance')
  const { values } = parseArgs({ args: at === -1 ? words : words.slice(0, at), options })
  const { help = false, fresh, apis = '2', workers = '3', port = '8443' } = values
  return {
    help,
    numbers: {
      apis: numberOf('apis', apis, 20),
      workers: numberOf('workers', workers, 20),
      port: numberOf('port', port, 65_535),
    },
    fresh,
    conformance: at === -1 ? undefined : words.slice(at + 1),
  }
}

function numberOf(name: string, text: string, most: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= most) return number
  throw new Error(`--${name} needs a number from 1 to ${most}, not ${text}.`)
}
