import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from '../execa.ts'
import { createCertificates } from '../local/certificates.ts'
import { createControl } from '../local/control.ts'
import { embeddedPostgres, ensureDatabase } from '../local/postgres/postgres.ts'
import type { ProcessRecord } from '../local/process-record.ts'
import { temporalServer } from '../local/temporal/server.ts'

/** The name of the OIDC provider, and of a model, that only the mounted files name. */
export const mounted = { provider: 'staff', model: 'from-a-file' }

/** The token for metrics in the `.env` of the trial. */
export const metricsToken = 'a-token-for-the-trial-of-the-image'

/** What an operator puts into `.env`. The canary delivers more often, so that the trial is short. */
export const dotEnv: Record<string, string> = {
  BILLING: 'off',
  REGISTRATION: 'invited',
  METRICS_TOKEN: metricsToken,
  CANARY_SECONDS: '5',
  MODELS_FILE: '/etc/switchyard/models.json',
  OIDC_PROVIDERS_FILE: '/etc/switchyard/sign-in.json',
  SITE_CA_FILE: '/etc/switchyard/ca.pem',
  OPENAI_API_KEY_FILE: '/etc/switchyard/openai_api_key',
}

/** Makes `secrets/`, by the project's script, and `config/`, as docs/operate/docker.md says. */
export async function makeFolders(project: string, folder: string): Promise<void> {
  await execa('sh', [join(project, 'deploy/make-secrets.sh'), join(folder, 'secrets')])
  const config = join(folder, 'config')
  mkdirSync(config)
  const { caFile } = await createCertificates(join(folder, 'certificates'))
  copyFileSync(caFile, join(config, 'ca.pem'))
  const openai = { id: 'gpt-5-mini', name: mounted.model }
  const providers = [
    { name: 'demo', kind: 'demo', models: [{ id: 'demo' }] },
    { name: 'openai', kind: 'openai', apiKeyEnv: 'OPENAI_API_KEY', models: [openai] },
  ]
  const staff = { name: mounted.provider, title: 'Staff', issuer: 'https://login.example.com', clientId: 'switchyard' }
  const files = {
    'models.json': JSON.stringify({ default: 'demo', providers }),
    'sign-in.json': JSON.stringify({ providers: [{ ...staff, clientSecretFile: '/etc/switchyard/staff_secret' }] }),
    openai_api_key: 'sk-none\n',
    staff_secret: 'a-secret-of-the-trial\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(config, name), text)
  for (const name of ['ca.pem', ...Object.keys(files)]) chmodSync(join(config, name), 0o444)
}

/**
 * Starts Postgres and Temporal on the ports of docker-compose.yml, outside of the image. The password of Postgres is the
 * one in `secrets/`.
 */
export async function startServers(
  folder: string,
  record: ProcessRecord,
  { binary, environment }: { binary: string; environment: Record<string, string> },
): Promise<void> {
  chmodSync(folder, 0o711)
  const password = readFileSync(join(folder, 'secrets/switchyard_password'), 'utf8').trim()
  const postgres = await embeddedPostgres({ folder, port: 5432, password, environment })
  const servers = [postgres.program, temporalServer({ binary, port: 7233, environment })]
  await Promise.all(servers.map((program) => createControl(program, record).start()))
  await ensureDatabase(postgres.url('postgres'), 'switchyard')
}
