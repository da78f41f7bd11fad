import { parseArgs } from 'node:util'
import { defaults, type CheckOptions, type OAuthOptions } from './options.ts'
import { isOnThisMachine } from './callback.ts'

export const usage = `Usage: npm run check-site -- https://site.example [options]

  --token <token>          a token of a user who may do everything
  --token-limited <token>  a token of a user who may not use every tool
  --call-all               call every tool with made-up arguments, not only those that read: on a test system only
  --burst <calls>          make so many quick calls to meet the limit of calls
  --client-id <id>         the client that the platform is registered as (OAuth)
  --redirect-uri <address> its redirect address; http://127.0.0.1:<port>/<path> is listened on
  --code-url -             ask for the address that the browser ended at, in place of listening
  --scope "<scopes>"       the scopes to ask for; read if not given
  --http-port <port>       where plain HTTP would be found, if not on port 80
  --ca-file <file>         a certificate authority to trust, in PEM
  --allow <host:port>      let this host have a private address; may be repeated
  --timeout <seconds>      for one request, 30
  --patience <seconds>     the longest Retry-After that is waited for, 60
  --json                   print the report as JSON`

export interface Arguments {
  options: CheckOptions
  json: boolean
  pasted: boolean
}

/** A command line that cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

interface Environment {
  baseUrl: string
  allow: readonly string[]
  caFile?: string | undefined
}

/** Reads the command line. Throws a UsageError with a sentence. */
export function readArguments(args: string[], { baseUrl, allow, caFile }: Environment): Arguments {
  const { values, positionals } = parse(args)
  const [site, ...more] = positionals
  if (site === undefined || more.length > 0) throw new UsageError('Name one site.')
  const pasted = values['code-url'] !== undefined
  const options: CheckOptions = {
    ...defaults,
    site,
    token: values.token,
    limitedToken: values['token-limited'],
    callAll: values['call-all'] ?? false,
    burst: whole('burst', values.burst) ?? defaults.burst,
    httpPort: whole('http-port', values['http-port']),
    timeoutSeconds: whole('timeout', values.timeout) ?? defaults.timeoutSeconds,
    patienceSeconds: whole('patience', values.patience) ?? defaults.patienceSeconds,
    allow: [...allow, ...(values.allow ?? [])],
    caFile: values['ca-file'] ?? caFile,
    baseUrl,
    oauth: oauthOptions(values['client-id'], values['redirect-uri'], values.scope),
  }
  if (pasted && !options.oauth) throw new UsageError('--code-url needs --client-id and --redirect-uri.')
  if (options.oauth && !pasted && !isOnThisMachine(options.oauth.redirectUri)) {
    throw new UsageError('A redirect address elsewhere than on http://127.0.0.1 needs --code-url -.')
  }
  return { options, pasted, json: values.json ?? false }
}

function parse(args: string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        token: text,
        'token-limited': text,
        burst: text,
        'client-id': text,
        'redirect-uri': text,
        'code-url': text,
        scope: text,
        'http-port': text,
        'ca-file': text,
        timeout: text,
        patience: text,
        allow: { type: 'string', multiple: true },
        'call-all': { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function oauthOptions(clientId?: string, redirectUri?: string, scope?: string): OAuthOptions | undefined {
  if (clientId === undefined && redirectUri === undefined) return undefined
  if (!clientId || !redirectUri) throw new UsageError('--client-id and --redirect-uri belong together.')
  if (!URL.canParse(redirectUri)) throw new UsageError('--redirect-uri must be a complete address.')
  return { clientId, redirectUri, scopes: scope?.split(/\s+/).filter(Boolean) }
}

function whole(name: string, written: string | undefined): number | undefined {
  if (written === undefined) return undefined
  if (!/^\d{1,5}$/.test(written)) throw new UsageError(`--${name} must be a whole number.`)
  return Number(written)
}
