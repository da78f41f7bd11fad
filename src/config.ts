import { existsSync } from 'node:fs'
import * as v from 'valibot'
import {
  clientIds,
  emails,
  flag,
  list,
  mailbox,
  optionalText,
  pem,
  smtpUrl,
  text,
  url,
  vaultKeys,
  whole,
} from './settings.ts'

/**
 * The only reader of the environment. Everything that a deployment may set stands here once, with its default and
 * its meaning; `.env.example` repeats the list for people. Read once at start, validated whole, frozen.
 */

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
  ADMIN_EMAILS: emails,
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
  MANIFEST_CHECK_HOURS: whole(24, 1, 720),
  TOOL_RESULT_BYTES: whole(1024 * 1024),
  BODY_BYTES: whole(256 * 1024),
  WEBHOOK_BODY_BYTES: whole(1024 * 1024),
  RATE_LIMIT_STORE: v.optional(v.picklist(['postgres', 'memory']), 'postgres'),
  RATE_LIMIT_PER_MINUTE: whole(300),
  RATE_LIMIT_AUTH_PER_MINUTE: whole(20),
  RATE_LIMIT_BROWSER_PER_MINUTE: whole(120),
  RATE_LIMIT_WEBHOOK_PER_MINUTE: whole(6000),
  RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: whole(60),
  QUEUE_DEPTH: whole(10_000),
  RUN_STEPS: whole(25),
  RUN_TOOL_CALLS: whole(50, 1, 900),
  RUN_TOKENS: whole(1_000_000),
  RUN_CREDITS: whole(500),
  RUN_MINUTES: whole(15),
  RUN_WAIT_SECONDS: whole(24 * 60 * 60, 1, 24 * 60 * 60),
  CALLBACK_TIMEOUT_SECONDS: whole(10, 1, 60),
  CALLBACK_HOURS: whole(24, 1, 168),
  MODEL_TIMEOUT_SECONDS: whole(300, 1, 3600),
  DEMO_DIRECTIVES: flag(false),
  SMTP_URL: smtpUrl,
  SMTP_TIMEOUT_SECONDS: whole(10, 1, 60),
  MAIL_FROM: mailbox,
  SWEEP_SECONDS: whole(2, 1, 60),
  STALL_SECONDS: whole(5, 1, 600),
  RECONCILE_SECONDS: whole(10, 1, 60),
  STANDSTILL_SECONDS: whole(15, 1, 600),
  CANCEL_SECONDS: whole(6, 1, 60),
  SCHEDULE_CATCH_UP_SECONDS: whole(300, 10, 24 * 60 * 60),
  QUEUE_BLOCKED_SECONDS: whole(24 * 60 * 60, 1, 30 * 24 * 60 * 60),
  STREAM_POLL_MS: whole(500, 20, 10_000),
  STREAM_KEEP_ALIVE_SECONDS: whole(15, 1, 600),
  STREAM_CHECK_SECONDS: whole(15, 1, 600),
  STREAM_STALL_SECONDS: whole(30, 1, 600),
  STREAM_LIMIT: whole(2000),
  SHUTDOWN_SECONDS: whole(20, 1, 600),
})

/** Mail servers refuse what comes from nobody. */
const consistent = v.pipe(
  environment,
  v.forward(
    v.partialCheck(
      [['SMTP_URL'], ['MAIL_FROM']],
      ({ SMTP_URL, MAIL_FROM }) => SMTP_URL === undefined || MAIL_FROM !== undefined,
      'is required where SMTP_URL is set',
    ),
    ['MAIL_FROM'],
  ),
)

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
  return freeze(shape(parsed(v.safeParse(consistent, present(env)))))
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
      /** Whoever has one of these addresses is an admin. */
      adminEmails: env.ADMIN_EMAILS,
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
      /** How long a manifest that is in use goes without being compared with the site's present one. */
      manifestCheckHours: env.MANIFEST_CHECK_HOURS,
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
      browserPerMinute: env.RATE_LIMIT_BROWSER_PER_MINUTE,
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
    /** Posting the endings of runs to their owners: how long one attempt may take, and how long it is attempted. */
    callbacks: { timeoutSeconds: env.CALLBACK_TIMEOUT_SECONDS, hours: env.CALLBACK_HOURS },
    /** Where `smtpUrl` is undefined, nothing is mailed. */
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM, timeoutSeconds: env.SMTP_TIMEOUT_SECONDS },
    sweep: { everySeconds: env.SWEEP_SECONDS, stallSeconds: env.STALL_SECONDS },
    /** How often the record is compared with Temporal, and how long something must stand still to be looked at there. */
    reconcile: { everySeconds: env.RECONCILE_SECONDS, standstillSeconds: env.STANDSTILL_SECONDS },
    /** How long a run that was asked to end may take to do so by itself. */
    cancelSeconds: env.CANCEL_SECONDS,
    /** How late a fire of a schedule may be and is still carried out. */
    scheduleCatchUpSeconds: env.SCHEDULE_CATCH_UP_SECONDS,
    /** How long a queued run waits for its owner to pay. */
    queueBlockedSeconds: env.QUEUE_BLOCKED_SECONDS,
    streams: {
      pollMs: env.STREAM_POLL_MS,
      keepAliveSeconds: env.STREAM_KEEP_ALIVE_SECONDS,
      /** How often it is looked whether those who watch still may. */
      checkSeconds: env.STREAM_CHECK_SECONDS,
      /** How long a reader may take nothing of what was sent. */
      stallSeconds: env.STREAM_STALL_SECONDS,
      most: env.STREAM_LIMIT,
    },
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

const vault = v.pick(environment, ['DATABASE_URL', 'DATABASE_POOL', 'VAULT_KEYS'])

/** The part of the configuration that `bin/vault-rotate.ts` needs. */
export function readVaultConfig(
  env: Record<string, string | undefined> = process.env,
): Pick<Config, 'database' | 'vaultKeys'> {
  const { DATABASE_URL, DATABASE_POOL, VAULT_KEYS } = parsed(v.safeParse(vault, present(env)))
  return freeze({ database: { url: DATABASE_URL, pool: DATABASE_POOL }, vaultKeys: VAULT_KEYS })
}

const checker = v.pick(environment, ['BASE_URL', 'SITE_ALLOW', 'SITE_CA_FILE'])

/** The part of the environment that `bin/check-site.ts` heeds; it needs neither stores nor keys. */
export function readCheckerConfig(env: Record<string, string | undefined> = process.env) {
  const { BASE_URL, SITE_ALLOW, SITE_CA_FILE } = parsed(v.safeParse(checker, present(env)))
  return freeze({ baseUrl: BASE_URL, allow: SITE_ALLOW, caFile: SITE_CA_FILE })
}

const portNumber = (fallback: number) => whole(fallback, 1, 65_535)
const local = v.object({
  DATA_DIR: text('.data'),
  POSTGRES_PORT: portNumber(15_432),
  TEMPORAL_PORT: portNumber(7233),
  TEMPORAL_UI_PORT: portNumber(8233),
  TEMPORAL_BINARY: optionalText(),
  SITE_PORTS: v.pipe(
    text('4401,4402,4403,4404'),
    v.transform((joined) => joined.split(',').map(Number)),
    v.check(
      (ports) => ports.length === 4 && ports.every((one) => Number.isInteger(one) && one > 0 && one < 65_536),
      'must be four port numbers separated by commas',
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
