import { existsSync } from 'node:fs'
import * as v from 'valibot'

/**
 * The only reader of the environment. Everything that a deployment may set stands here once, with its default and
 * its meaning; `.env.example` repeats the list for people. Read once at start, validated whole, frozen.
 */

const flag = (fallback: boolean) =>
  v.pipe(
    v.optional(v.picklist(['true', 'false', '1', '0']), fallback ? 'true' : 'false'),
    v.transform((text) => text === 'true' || text === '1'),
  )
const whole = (fallback: number, min = 1, max = 1_000_000_000) =>
  v.pipe(
    v.optional(v.pipe(v.string(), v.regex(/^\d+$/, 'must be a whole number')), String(fallback)),
    v.transform(Number),
    v.minValue(min),
    v.maxValue(max),
  )
const text = (fallback: string) => v.optional(v.pipe(v.string(), v.nonEmpty()), fallback)
const optionalText = () => v.optional(v.pipe(v.string(), v.nonEmpty()))
const list = () =>
  v.pipe(
    v.optional(v.string(), ''),
    v.transform((joined) =>
      joined
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    ),
  )
const url = (fallback: string) =>
  v.pipe(
    v.optional(v.pipe(v.string(), v.url('must be a complete URL')), fallback),
    v.transform((address) => address.replace(/\/+$/, '')),
  )

/** `name:base64,name:base64`: 32-byte keys by version, the first is the one that new values are encrypted under. */
const vaultKeys = v.pipe(
  v.string('is required: "name:<32 random bytes in base64>", several separated by commas, the current one first'),
  v.transform((joined) =>
    joined.split(',').map((pair) => {
      const colon = pair.indexOf(':')
      return { name: pair.slice(0, colon).trim(), key: Buffer.from(pair.slice(colon + 1).trim(), 'base64') }
    }),
  ),
  v.check(
    (keys) => keys.every(({ name, key }) => /^[\w-]{1,32}$/.test(name) && key.length === 32),
    'each key must be "name:<32 bytes in base64>"',
  ),
  v.check((keys) => new Set(keys.map(({ name }) => name)).size === keys.length, 'key names must differ'),
)

/** `https://site=client id,https://other=client id`: where the platform is registered under another client id. */
const clientIds = v.pipe(
  v.optional(v.string(), ''),
  v.transform((joined) =>
    joined
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => {
        const equals = pair.indexOf('=')
        return { origin: pair.slice(0, equals).trim(), clientId: pair.slice(equals + 1).trim() }
      }),
  ),
  v.check(
    (pairs) => pairs.every(({ origin, clientId }) => clientId !== '' && URL.parse(origin)?.origin === origin),
    'each entry must be "<site origin>=<client id>", for example https://crm.example.com=switchyard-eu',
  ),
)

const pem = v.pipe(
  v.string('is required: an Ed25519 private key in PEM (PKCS #8), line breaks may be written \\n'),
  v.transform((written) => written.replaceAll('\\n', '\n')),
  v.startsWith('-----BEGIN PRIVATE KEY-----', 'must be a PKCS #8 PEM private key'),
)

const environment = v.object({
  DATABASE_URL: v.pipe(v.string('is required, for example postgres://user:password@127.0.0.1:5432/switchyard')),
  DATABASE_POOL: whole(10, 2, 200),
  TEMPORAL_ADDRESS: text('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: text('default'),
  TEMPORAL_API_KEY: optionalText(),
  TEMPORAL_TLS: flag(false),
  TASK_QUEUE: text('switchyard'),
  HOST: text('127.0.0.1'),
  PORT: whole(3000, 0, 65_535),
  BASE_URL: url('http://127.0.0.1:3000'),
  TRUSTED_PROXIES: whole(0, 0, 10),
  LOG_LEVEL: v.optional(v.picklist(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  VAULT_KEYS: vaultKeys,
  JWT_PRIVATE_KEY: pem,
  ACCESS_TOKEN_SECONDS: whole(900, 1, 3600),
  REFRESH_TOKEN_DAYS: whole(30, 1, 365),
  TERMS_VERSION: text('2026-11-01'),
  SITE_ALLOW: list(),
  SITE_CA_FILE: optionalText(),
  SITE_TIMEOUT_SECONDS: whole(30, 1, 300),
  TOKEN_TIMEOUT_SECONDS: whole(10, 1, 60),
  OUTGOING_PER_MINUTE: whole(10),
  OUTGOING_HOLD_MINUTES: whole(60, 1, 1440),
  OAUTH_CLIENT_ID: text('switchyard'),
  OAUTH_CLIENT_IDS: clientIds,
  KEEP_ALIVE_DAYS: whole(25, 1, 365),
  MANIFEST_TIMEOUT_SECONDS: whole(10, 1, 60),
  MANIFEST_BYTES: whole(256 * 1024),
  TOOL_RESULT_BYTES: whole(1024 * 1024),
  BODY_BYTES: whole(256 * 1024),
  WEBHOOK_BODY_BYTES: whole(1024 * 1024),
  RATE_LIMIT_STORE: v.optional(v.picklist(['postgres', 'memory']), 'postgres'),
  RATE_LIMIT_PER_MINUTE: whole(300),
  RATE_LIMIT_AUTH_PER_MINUTE: whole(20),
  RATE_LIMIT_WEBHOOK_PER_MINUTE: whole(6000),
  RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: whole(60),
  QUEUE_DEPTH: whole(10_000),
  RUN_STEPS: whole(25),
  RUN_TOOL_CALLS: whole(50, 1, 900),
  RUN_TOKENS: whole(1_000_000),
  RUN_CREDITS: whole(500),
  RUN_MINUTES: whole(15),
  RUN_WAIT_SECONDS: whole(24 * 60 * 60, 1, 24 * 60 * 60),
  MODEL_TIMEOUT_SECONDS: whole(300, 1, 3600),
  DEMO_DIRECTIVES: flag(false),
  SWEEP_SECONDS: whole(2, 1, 60),
  STALL_SECONDS: whole(5, 1, 600),
  SHUTDOWN_SECONDS: whole(20, 1, 600),
})

/** A bad environment: every problem at once, one sentence each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

export type Config = Readonly<ReturnType<typeof shape>>

/** Reads and validates the environment. Throws a ConfigError that names every problem. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  return freeze(shape(parsed(v.safeParse(environment, present(env)))))
}

/** The same values, grouped by who uses them. Durations and sizes carry their unit in the name. */
function shape(env: v.InferOutput<typeof environment>) {
  return {
    database: { url: env.DATABASE_URL, pool: env.DATABASE_POOL },
    temporal: {
      address: env.TEMPORAL_ADDRESS,
      namespace: env.TEMPORAL_NAMESPACE,
      apiKey: env.TEMPORAL_API_KEY,
      tls: env.TEMPORAL_TLS,
      taskQueue: env.TASK_QUEUE,
    },
    http: { host: env.HOST, port: env.PORT, baseUrl: env.BASE_URL, trustedProxies: env.TRUSTED_PROXIES },
    logLevel: env.LOG_LEVEL,
    vaultKeys: env.VAULT_KEYS,
    auth: {
      privateKey: env.JWT_PRIVATE_KEY,
      accessTokenSeconds: env.ACCESS_TOKEN_SECONDS,
      refreshTokenDays: env.REFRESH_TOKEN_DAYS,
      termsVersion: env.TERMS_VERSION,
    },
    sites: {
      /** `host:port` pairs that may be reached although their address is private; for development. */
      allow: env.SITE_ALLOW,
      caFile: env.SITE_CA_FILE,
      timeoutSeconds: env.SITE_TIMEOUT_SECONDS,
      /** Of one request to a site's token or revocation address. */
      tokenTimeoutSeconds: env.TOKEN_TIMEOUT_SECONDS,
      /** Tool calls to one host, of all processes together. */
      callsPerMinute: env.OUTGOING_PER_MINUTE,
      /** The longest that a site's own Retry-After is believed. */
      holdMinutes: env.OUTGOING_HOLD_MINUTES,
      manifestTimeoutSeconds: env.MANIFEST_TIMEOUT_SECONDS,
      manifestBytes: env.MANIFEST_BYTES,
      resultBytes: env.TOOL_RESULT_BYTES,
    },
    oauth: {
      clientId: env.OAUTH_CLIENT_ID,
      /** Client ids by site origin, in place of the usual one. */
      clientIds: env.OAUTH_CLIENT_IDS,
      /** Refresh tokens die of age; grants that nobody has used for so long are refreshed. */
      keepAliveDays: env.KEEP_ALIVE_DAYS,
    },
    bodies: { defaultBytes: env.BODY_BYTES, webhookBytes: env.WEBHOOK_BODY_BYTES },
    rateLimits: {
      store: env.RATE_LIMIT_STORE,
      callerPerMinute: env.RATE_LIMIT_PER_MINUTE,
      authPerMinute: env.RATE_LIMIT_AUTH_PER_MINUTE,
      webhookPerMinute: env.RATE_LIMIT_WEBHOOK_PER_MINUTE,
      webhookFailedPerMinute: env.RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE,
    },
    queueDepth: env.QUEUE_DEPTH,
    budgets: {
      steps: env.RUN_STEPS,
      toolCalls: env.RUN_TOOL_CALLS,
      tokens: env.RUN_TOKENS,
      credits: env.RUN_CREDITS,
      minutes: env.RUN_MINUTES,
      /** All waits of a run together; they do not count as minutes. */
      waitSeconds: env.RUN_WAIT_SECONDS,
    },
    models: { timeoutSeconds: env.MODEL_TIMEOUT_SECONDS, demoDirectives: env.DEMO_DIRECTIVES },
    sweep: { everySeconds: env.SWEEP_SECONDS, stallSeconds: env.STALL_SECONDS },
    shutdownSeconds: env.SHUTDOWN_SECONDS,
  }
}

function freeze<T extends object>(value: T): Readonly<T> {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && !Buffer.isBuffer(inner)) freeze(inner as object)
  }
  return Object.freeze(value)
}

const data = v.pick(environment, ['DATABASE_URL', 'DATABASE_POOL'])

/** The part of the configuration that `bin/migrate.ts` needs: a migration job does not have to know the keys. */
export function readDatabaseConfig(env: Record<string, string | undefined> = process.env): Pick<Config, 'database'> {
  const { DATABASE_URL, DATABASE_POOL } = parsed(v.safeParse(data, present(env)))
  return freeze({ database: { url: DATABASE_URL, pool: DATABASE_POOL } })
}

const portNumber = (fallback: number) => whole(fallback, 1, 65_535)
const local = v.object({
  DATA_DIR: text('.data'),
  POSTGRES_PORT: portNumber(15_432),
  TEMPORAL_PORT: portNumber(7233),
  TEMPORAL_UI_PORT: portNumber(8233),
  TEMPORAL_BINARY: optionalText(),
  SITE_PORTS: v.pipe(
    text('4401,4402,4403'),
    v.transform((joined) => joined.split(',').map(Number)),
    v.check(
      (ports) => ports.length === 3 && ports.every((one) => Number.isInteger(one) && one > 0 && one < 65_536),
      'must be three port numbers separated by commas',
    ),
  ),
  DEAD_SITE_PORT: portNumber(4409),
  PORT: portNumber(3000),
  DATABASE_URL: optionalText(),
  TEMPORAL_ADDRESS: optionalText(),
  SHUTDOWN_SECONDS: environment.entries.SHUTDOWN_SECONDS,
})

/** What the programs of one machine need (`npm start`, `npm test`), and the environment they hand to their children. */
export type LocalConfig = Readonly<v.InferOutput<typeof local> & { environment: Record<string, string> }>

/** Reads what starting everything on one machine needs. Throws a ConfigError that names every problem. */
export function readLocalConfig(env: Record<string, string | undefined> = process.env): LocalConfig {
  return freeze({ ...parsed(v.safeParse(local, present(env))), environment: present(env) })
}

/** Loads a `.env` file into the environment if there is one; what the environment already says wins. */
export function loadEnvFile(file = '.env'): void {
  if (existsSync(file)) process.loadEnvFile(file)
}

/** The names of all variables, so that a test can tell whether `.env.example` lists them all. */
export const settingNames: readonly string[] = [
  ...new Set([...Object.keys(environment.entries), ...Object.keys(local.entries)]),
]

/** An empty variable means the same as none, so that `.env` files may list names without values. */
function present(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''),
  )
}

function parsed<S extends v.GenericSchema>(result: v.SafeParseResult<S>): v.InferOutput<S> {
  if (result.success) return result.output
  throw new ConfigError(result.issues.map((issue) => `${v.getDotPath(issue) ?? 'environment'} ${issue.message}`))
}
