import * as v from 'valibot'
import { freeze, present, readEnvironment, settings, type Environment } from './environment.ts'
import { withFiles } from './setting-files.ts'
import { optionalText, text, whole } from './settings.ts'

/** The data folder of `npm start`, unless DATA_DIR sets another. */
export const usualFolder = '.data'

const portNumber = (fallback: number) => whole(fallback, 1, 65_535)
export const localSettings = v.object({
  DATA_DIR: text(usualFolder),
  POSTGRES_PORT: portNumber(15_432),
  TEMPORAL_PORT: portNumber(7233),
  TEMPORAL_UI_PORT: portNumber(8233),
  TEMPORAL_BINARY: optionalText(),
  TEMPORAL_WHEEL: v.optional(v.picklist(['on', 'off']), 'on'),
  SITE_PORTS: v.pipe(
    text('4401,4402,4403,4404'),
    v.transform((joined) => joined.split(',').map(Number)),
    v.check(
      (ports) => ports.length === 4 && ports.every((one) => Number.isInteger(one) && one > 0 && one < 65_536),
      'must be four port numbers separated by commas',
    ),
  ),
  DEAD_SITE_PORT: portNumber(4409),
  CONFORMANCE_PORTS: v.pipe(
    text('4411,4412,4413,4414,4415,4416,4417,4418'),
    v.transform((joined) => joined.split(',').map(Number)),
    v.check(
      (ports) => ports.length === 8 && ports.every((one) => Number.isInteger(one) && one > 0 && one < 65_536),
      'must be eight port numbers separated by commas',
    ),
  ),
  PORT: portNumber(3000),
  DATABASE_URL: optionalText(),
  TEMPORAL_ADDRESS: optionalText(),
  SHUTDOWN_SECONDS: settings.entries.SHUTDOWN_SECONDS,
})

/** The settings of a single machine (`npm start`, `npm test`), and the environment for child processes. */
export type LocalConfig = Readonly<v.InferOutput<typeof localSettings> & { environment: Record<string, string> }>

/** Reads the settings of a single machine. Throws a ConfigError that names every problem. */
export const readLocalConfig = (env?: Environment): LocalConfig =>
  freeze({ ...readEnvironment(localSettings, env), environment: withFiles(present(env), settingNames).env })

const checker = v.pick(settings, ['BASE_URL', 'SITE_ALLOW', 'SITE_CA_FILE'])

/** The settings of `check-site`, which needs neither databases nor keys. */
export function readCheckerConfig(env?: Environment) {
  const { BASE_URL, SITE_ALLOW, SITE_CA_FILE } = readEnvironment(checker, env)
  return freeze({ baseUrl: BASE_URL, allow: SITE_ALLOW, caFile: SITE_CA_FILE })
}

/** The names of all settings. A test checks that `.env.example` lists them. */
export const settingNames: readonly string[] = [
  ...new Set([...Object.keys(settings.entries), ...Object.keys(localSettings.entries)]),
]
