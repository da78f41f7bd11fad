import { readFileSync } from 'node:fs'

/**
 * Settings that are secrets, or contain one. Each may be in a file, whose path is in `<name>_FILE`: containers provide
 * secrets as files, because environments are seen by `inspect`, by `ps` and by child processes.
 */
export const secretSettings = [
  'DATABASE_URL',
  'TEMPORAL_API_KEY',
  'VAULT_KEYS',
  'JWT_PRIVATE_KEY',
  'SMTP_URL',
  'OPENAI_API_KEY',
  'OIDC_CLIENT_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
] as const

/** The variables with the contents of the files of these settings, and a sentence for each file that is of no use. */
export function withSecretFiles(env: Record<string, string>, wanted: readonly string[] = secretSettings) {
  const problems: string[] = []
  const read: Record<string, string> = { ...env }
  for (const name of secretSettings.filter((one) => wanted.includes(one))) {
    const variable = `${name}_FILE`
    const path = read[variable]
    delete read[variable]
    if (path === undefined) continue
    if (env[name] !== undefined) problems.push(`${variable} is set, and so is ${name}; set one of the two`)
    else read[name] = contentOf(path, (problem) => problems.push(`${variable} ${problem}`))
  }
  return { env: read, problems }
}

/** Without the line break that editors leave at the end. The path may be told, the content never. */
function contentOf(path: string, refuse: (problem: string) => void): string {
  try {
    const content = readFileSync(path, 'utf8').trim()
    if (content === '') refuse(`names ${path}, which is empty`)
    return content
  } catch (error) {
    refuse(`names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code})`)
    return ''
  }
}
