import { isObject } from '../json.ts'
import * as v from 'valibot'
import { ConfigError, present, readEnvironment, settings, type Environment } from './environment.ts'
import { expectedForm } from './expected-form.ts'
import { readJsonFile } from './json-file.ts'
import { placeOf } from './only-members.ts'
import { clientSecret, oidcFile, oidcProvider, type WrittenOidcProvider } from './oidc-format.ts'

import { contentOf, withFiles } from './setting-files.ts'

interface OidcProviderConfig {
  /** Part of addresses; never changes. */
  name: string
  title: string
  issuer: string
  clientId: string
  clientSecret: string
}

export interface OidcConfig {
  providers: OidcProviderConfig[]
}

const names = ['OIDC_PROVIDERS_FILE', 'OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_TITLE'] as const
const schema = v.pick(settings, names)

/**
 * The sign-in providers of OIDC_PROVIDERS_FILE, or the one that OIDC_ISSUER names, or none. Throws a ConfigError that
 * names every problem.
 */
export function readOidc(given?: Environment): OidcConfig {
  const { env } = withFiles(present(given), names)
  const single = readEnvironment(schema, given)
  const file = env['OIDC_PROVIDERS_FILE']
  const alone = names.filter((name) => name !== 'OIDC_PROVIDERS_FILE' && env[name] !== undefined)
  if (file !== undefined) {
    refuseIf(alone.map((name) => `${name} and OIDC_PROVIDERS_FILE are both set. Set only one of them`))
    return { providers: fromFile(file, env) }
  }
  if (alone.length === 0) return { providers: [] }
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret, OIDC_TITLE } = single
  const needed = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
  refuseIf(
    needed.filter((name) => single[name] === undefined).map((name) => `${name} is required if ${alone[0]} is set`),
  )
  if (issuer === undefined || clientId === undefined || secret === undefined) return { providers: [] }
  return { providers: [{ name: 'oidc', title: OIDC_TITLE ?? hostOf(issuer), issuer, clientId, clientSecret: secret }] }
}

function fromFile(path: string, given: Record<string, string>): OidcProviderConfig[] {
  const written = readJsonFile(path)
  if ('problem' in written) throw new ConfigError([`OIDC_PROVIDERS_FILE ${written.problem}`])
  const result = v.safeParse(oidcFile, written.value, { message: expectedForm })
  const issues = result.issues?.map((issue) => `${placeOf(issue)} ${issue.message}`) ?? []
  const providers = wellFormedIn(written.value)
  const others = secretsOfOthers(written.value)
  const { env, problems } = withFiles(
    given,
    [...providers, ...others].flatMap(({ clientSecretEnv: name }) => (name === undefined ? [] : [name])),
  )
  const unset = others.flatMap((one) => secretProblems(one, env).map((problem) => `${one.place} ${problem}`))
  const own = [...issues, ...contradictions(providers, env), ...unset].map(
    (problem) => `OIDC_PROVIDERS_FILE: ${problem}`,
  )
  refuseIf([...problems, ...own])
  return result.success ? result.output.providers.map((one) => toProvider(one, env)) : []
}

const toProvider = (
  { clientSecretEnv, clientSecretFile, title, ...written }: WrittenOidcProvider,
  env: Environment,
): OidcProviderConfig => ({
  ...written,
  title: title ?? hostOf(written.issuer),
  clientSecret: v.parse(
    clientSecret,
    clientSecretEnv === undefined ? contentOf(clientSecretFile ?? '', () => undefined) : env[clientSecretEnv],
  ),
})

/** One wrong provider hides no problem of another. */
const wellFormedIn = (file: unknown): WrittenOidcProvider[] =>
  providersIn(file).filter((one) => v.is(oidcProvider, one))

const providersIn = (file: unknown): unknown[] =>
  isObject(file) && Array.isArray(file['providers']) ? file['providers'] : []

/** The secret settings of malformed providers. A provider without a usable one is already reported. */
const secretsOfOthers = (file: unknown) =>
  providersIn(file).flatMap((one, index) => {
    const variable = isObject(one) && !v.is(oidcProvider, one) ? one['clientSecretEnv'] : undefined
    const { output, success } = v.safeParse(oidcProvider.entries.clientSecretEnv, variable)
    return success && output !== undefined ? [{ place: `providers.${index}`, clientSecretEnv: output }] : []
  })

function contradictions(providers: WrittenOidcProvider[], env: Environment): string[] {
  return [
    ...twice(providers.map(({ name }) => name)).map((name) => `two providers are named ${name}`),
    // An identity is an issuer and a subject, whatever the client.
    ...(twice(providers.map(({ issuer }) => new URL(issuer).href)).length > 0
      ? ['two providers have the same issuer']
      : []),
    ...providers.flatMap((one) => secretProblems(one, env).map((problem) => `the provider ${one.name} ${problem}`)),
  ]
}

function secretProblems(
  {
    clientSecretEnv: variable,
    clientSecretFile: path,
  }: Pick<WrittenOidcProvider, 'clientSecretEnv' | 'clientSecretFile'>,
  env: Environment,
) {
  if ((variable === undefined) === (path === undefined))
    return ['must have either `clientSecretEnv` or `clientSecretFile`']
  // A variable is empty if its file could not be read, which is reported elsewhere.
  if (variable !== undefined && env[variable] === '') return []
  const problems: string[] = []
  const value = variable === undefined ? contentOf(path ?? '', (problem) => problems.push(problem)) : env[variable]
  const { issues } = problems.length > 0 ? {} : v.safeParse(clientSecret, value)
  const what = variable === undefined ? 'names a file in `clientSecretFile`' : 'names a variable in `clientSecretEnv`'
  return [...problems, ...(issues ? [issues[0].message] : [])].map((problem) => `${what} that ${problem}`)
}

const twice = (values: string[]): string[] => [...new Set(values.filter((one, index) => values.indexOf(one) < index))]

const hostOf = (issuer: string): string => new URL(issuer).host

function refuseIf(problems: string[]): void {
  if (problems.length > 0) throw new ConfigError(problems)
}
