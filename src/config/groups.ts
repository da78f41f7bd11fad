import * as v from 'valibot'
import { settings } from './environment.ts'

/** Groups of settings that the platform and its commands read alike. */
type Read = v.InferOutput<typeof settings>

export const databaseSettings = v.pick(settings, ['DATABASE_URL', 'DATABASE_POOL', 'DATABASE_WAIT_SECONDS'])

export const databaseOf = (env: v.InferOutput<typeof databaseSettings>) => ({
  url: env.DATABASE_URL,
  pool: env.DATABASE_POOL,
  waitSeconds: env.DATABASE_WAIT_SECONDS,
})

export const temporalSettings = v.pick(settings, [
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_API_KEY',
  'TEMPORAL_TLS',
  'TEMPORAL_UI_URL',
  'TASK_QUEUE',
])

export const temporalOf = (env: v.InferOutput<typeof temporalSettings>) => ({
  address: env.TEMPORAL_ADDRESS,
  namespace: env.TEMPORAL_NAMESPACE,
  apiKey: env.TEMPORAL_API_KEY,
  tls: env.TEMPORAL_TLS,
  /** Where people look at workflows. */
  uiUrl: env.TEMPORAL_UI_URL,
  taskQueue: env.TASK_QUEUE,
})

export const mailOf = (env: Pick<Read, 'SMTP_URL' | 'MAIL_FROM' | 'SMTP_TIMEOUT_SECONDS'>) => ({
  smtpUrl: env.SMTP_URL,
  from: env.MAIL_FROM,
  timeoutSeconds: env.SMTP_TIMEOUT_SECONDS,
})

export const callbacksOf = (env: Pick<Read, 'CALLBACK_TIMEOUT_SECONDS' | 'CALLBACK_HOURS'>) => ({
  timeoutSeconds: env.CALLBACK_TIMEOUT_SECONDS,
  hours: env.CALLBACK_HOURS,
})
