import type { Fault } from './fault.ts'

const workspace = ['test/sign-in/workspace.test.ts']
const usual = ['test/sign-in/sign-in.test.ts']
const hostile = ['test/sign-in/hostile-provider.test.ts']

/** Sign-in through OpenID Connect: who is known by what, and how far a login reaches. */
export const oidc: Fault[] = [
  {
    id: 'oidc/any-workspace',
    file: 'src/sign-in/identities.ts',
    find: 'Identity.query(db).findOne({ issuer, subject, workspaceProviderId })',
    replace: 'Identity.query(db).findOne({ issuer, subject })',
    why: "a workspace's provider that names the issuer and subject of somebody else's signs in as that person",
    tests: workspace,
    match: 'the same issuer and subject*',
  },
  {
    id: 'oidc/whole-reach',
    file: 'src/users/authenticate.ts',
    find: 'found.workspaceId === null ? caller :',
    replace: "found.workspaceId !== '' ? caller :",
    why: 'whoever runs the provider of a workspace has all that its members have elsewhere',
    tests: workspace,
    match: 'on every route*',
  },
  {
    id: 'oidc/account-by-workspace',
    file: 'api/route/route-rules.ts',
    find: 'route.ofUser ?? (needsLogin(route) && !isOfOwner(route))',
    replace: 'route.ofUser ?? false',
    why: 'a login by the provider of a workspace changes the account of its user',
    tests: workspace,
    match: 'on every route*',
  },
  {
    id: 'oidc/login-outlives-provider',
    file: 'src/sign-in/workspace-providers.ts',
    find: '        await WorkspaceProvider.query(trx).deleteById(provider.id)\n        await endAll(trx, workspaceId)\n',
    replace: '        await WorkspaceProvider.query(trx).deleteById(provider.id)\n',
    why: 'whoever a removed provider has signed in stays signed in',
    tests: workspace,
    match: 'a provider that is removed*',
  },
  {
    id: 'oidc/callback-of-anybody',
    file: 'src/sign-in/callback.ts',
    find: 'assertThat(bindingHash === flow.bindingHash,',
    replace: 'assertThat(bindingHash.length > 0,',
    why: "an attacker's answer, opened in the browser of another person, signs that person in as the attacker",
    tests: usual,
    match: 'a callback is of use once*',
  },
  {
    id: 'oidc/unsigned',
    file: 'src/sign-in/oidc-client.ts',
    find: '    await oauth.validateApplicationLevelSignature(server, answer, options)\n',
    replace: '',
    why: 'an ID token that anybody has signed is believed',
    tests: hostile,
    match: '*that is signed with another key*',
  },
  {
    id: 'oidc/address-taken-over',
    file: 'src/users/register.ts',
    find: "    const made = await User.query(trx).findById(row.id)\n    assertThat(made, 'VALIDATION_ERROR', { ...taken, message: notLinked })",
    replace:
      "    const made = await User.query(trx).findOne({ email })\n    assertThat(made, 'VALIDATION_ERROR', { ...taken, message: notLinked })",
    why: 'a provider that asserts an address opens the account that has it',
    tests: usual,
    match: 'an address that an account has*',
  },
  {
    id: 'oidc/returns-anywhere',
    file: 'api/sign-in-browser.ts',
    find: "/^\\/(?![/\\\\])[^\\\\\\s\\p{C}]*$/u.test(path) && URL.parse(path, 'https://here.example')?.host === 'here.example'",
    replace: "path.startsWith('/')",
    why: 'an address of the platform sends the browser on to any other host',
    tests: usual,
    match: 'one is sent back to no other host*',
  },
]
