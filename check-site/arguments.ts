import { parseArgs } from 'node:util'
import { defaults, type CheckOptions, type OAuthOptions } from './options.ts'
import { isOnThisMachine } from './callback.ts'

export const usage = `Usage: npm run check-site -- https://site.example [options]

  --token <token>          a token of a user with every permission
  --token-limited <token>  a token of a user who may not use every tool
  --call-all               call every tool, not only read tools, with generated arguments: on a test system only
  --burst <calls>          make this many quick calls, to reach the rate limit
  --client-id <id>         the client id of the platform at the site (OAuth)
  --redirect-uri <address> its redirect address; the checker listens on http://127.0.0.1:<port>/<path>
  --code-url -             ask for the browser's final address instead of listening
  --no-deny                do not ask to refuse access once, only to allow it
  --sign-in-seconds <n>    how long to wait for each browser visit; 300 by default
  --scope "<scopes>"       the scopes to request; read by default
  --http-port <port>       the port of plain HTTP, if not 80
  --ca-file <file>         a certificate authority to trust, in PEM
  --allow <host:port>      allow a private address for this host; repeatable
  --tools <count>          the number of tools to call; the first 20 by default
  --timeout <seconds>      the time limit for one request; 30 by default
  --patience <seconds>     the longest Retry-After to wait for; 60 by default
  --strict                 fail if anything was not checked
  --json                   print the report as JSON
  --help                   print this

Exit codes: 0 nothing failed; 1 something failed, or with --strict was not checked;
2 the command cannot be executed, or a requested sign-in did not happen.`

export interface Arguments {
  options: CheckOptions
  json: boolean
  pasted: boolean
  strict: boolean
  /** How long to wait for each visit of a browser. */
  signInSeconds: number
}

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

interface Environment {
  baseUrl: string
  allow: readonly string[]
  caFile?: string | undefined
}

export const asksForHelp = (args: string[]): boolean => args.includes('--help') || args.includes('-h')

const secondsToSignIn = 300

/** Parses the command line. Throws a UsageError with a sentence. */
export function readArguments(args: string[], { baseUrl, allow, caFile }: Environment): Arguments {
  const { values, positionals } = parse(args)
  const [site, ...more] = positionals
  if (site === undefined || more.length > 0) throw new UsageError('Give one site.')
  const pasted = values['code-url'] !== undefined
  const options: CheckOptions = {
    ...defaults,
    site,
    token: values.token,
    limitedToken: values['token-limited'],
    callAll: values['call-all'] ?? false,
    burst: whole('burst', values.burst) ?? defaults.burst,
    httpPort: whole('http-port', values['http-port']),
    mostTools: whole('tools', values.tools) ?? defaults.mostTools,
    timeoutSeconds: whole('timeout', values.timeout) ?? defaults.timeoutSeconds,
    patienceSeconds: whole('patience', values.patience) ?? defaults.patienceSeconds,
    allow: [...allow, ...(values.allow ?? [])],
    caFile: values['ca-file'] ?? caFile,
    baseUrl,
    oauth: oauthOptions(values),
  }
  if (pasted && !options.oauth) throw new UsageError('--code-url needs --client-id and --redirect-uri.')
  if (options.oauth && !pasted && !isOnThisMachine(options.oauth.redirectUri)) {
    throw new UsageError('A redirect address other than http://127.0.0.1 needs --code-url -.')
  }
  const signInSeconds = whole('sign-in-seconds', values['sign-in-seconds']) ?? secondsToSignIn
  return { options, pasted, json: values.json ?? false, strict: values.strict ?? false, signInSeconds }
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
        tools: text,
        'sign-in-seconds': text,
        timeout: text,
        patience: text,
        allow: { type: 'string', multiple: true },
        'call-all': { type: 'boolean' },
        'no-deny': { type: 'boolean' },
        strict: { type: 'boolean' },
        json: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function oauthOptions(values: ReturnType<typeof parse>['values']): OAuthOptions | undefined {
  const { 'client-id': clientId, 'redirect-uri': redirectUri, scope, 'no-deny': noDeny = false } = values
  if (clientId === undefined && redirectUri === undefined) return undefined
  if (!clientId || !redirectUri) throw new UsageError('--client-id and --redirect-uri belong together.')
  if (!URL.canParse(redirectUri)) throw new UsageError('--redirect-uri must be a complete address.')
  return { clientId, redirectUri, scopes: scope?.split(/\s+/).filter(Boolean), deny: !noDeny }
}

function whole(name: string, written: string | undefined): number | undefined {
  if (written === undefined) return undefined
  if (!/^\d{1,5}$/.test(written)) throw new UsageError(`--${name} must be a whole number.`)
  return Number(written)
}
