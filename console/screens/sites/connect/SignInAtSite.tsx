import { useState } from 'react'
import { api, type Api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { Button } from '../../../design/Button.tsx'
import { Check } from '../../../design/Check.tsx'
import { Curl } from '../../../parts/Curl.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { countInWords } from '../../../parts/format.ts'
import { pageToReturnTo } from '../../../parts/returned-flow.ts'
import { byScope, scopeWords, toolsFor } from '../tool-words.ts'
import { ClientFields } from './ClientFields.tsx'
import styles from './Connect.module.css'
import type { LoginProps } from './TokenForm.tsx'

/** What to ask the site for, and the way there. The browser comes back to this page. */
export const SignInAtSite = ({ site, url, owner, hosts, chosen: chosenTools }: LoginProps) => {
  // A site that lists its tools to everybody does not say which of them need the sign-in.
  const isOptional = site.authType === 'none'
  const groups = isOptional ? [] : byScope(site.tools)
  const [chosen, choose] = useState<readonly Api['Scope'][]>(groups.map(({ scope }) => scope))
  const starting = api.useMutation('post', '/vault/oauth/start', {
    onSuccess: ({ connectUrl }) => location.assign(connectUrl),
  })
  const [client, setClient] = useState({ id: '', secret: '' })
  const ofScopes = isOptional ? undefined : toolsFor(site.tools, chosen)
  const tools = chosenTools ? [...chosenTools] : ofScopes
  // The site may refuse to register the platform, and then takes a client that a person registers.
  const isRefused = starting.error !== null && problemOf(starting.error).code === 'TOOL_EXECUTION_ERROR'
  const asksForClient = site.needsClientId || isRefused || client.id !== ''
  const own = asksForClient && {
    clientId: client.id.trim(),
    ...(client.secret.trim() !== '' && { clientSecret: client.secret.trim() }),
  }
  const body = { ...owner.query, url, acceptHosts: [...hosts.accepted], ...(tools && { tools }), ...own }
  const isChosen = chosenTools ? chosenTools.length > 0 : groups.length === 0 || chosen.length > 0
  const hasClient = !own || own.clientId !== ''
  return (
    <div className={styles.form}>
      {asksForClient && <ClientFields redirectUri={site.redirectUri ?? ''} client={client} onChange={setClient} />}
      {groups.length > 0 && (
        <fieldset className={styles.hosts}>
          <legend>Agents may</legend>
          {groups.map(({ scope, tools: needing }) => (
            <Check
              key={scope}
              isSelected={chosen.includes(scope)}
              onChange={(isTicked) => choose(isTicked ? [...chosen, scope] : chosen.filter((one) => one !== scope))}
            >
              {scopeWords[scope]} <span className={styles.quiet}>{countInWords(needing.length, 'tool')}</span>
            </Check>
          ))}
        </fieldset>
      )}
      <p className={styles.quiet}>
        You sign in at the site and allow the access there. Switchyard never sees your password, and you come back to
        this page. {isOptional ? optional : groups.length > 0 ? 'You can ask for more later.' : hidden}
      </p>
      {starting.error && <ErrorBox error={starting.error} />}
      <div>
        <Button
          kind="primary"
          busy={starting.isPending}
          isDisabled={!hosts.areAll || !isChosen || !hasClient}
          onPress={() => starting.mutate({ body: { ...body, returnTo: pageToReturnTo(location) } })}
        >
          {isOptional ? 'Sign in' : 'Continue to the site'}
        </Button>{' '}
        <Curl action={{ method: 'POST', path: '/vault/oauth/start', body: withoutSecret(body) }} />
      </div>
    </div>
  )
}

const optional = 'The site shows its tools without that, but may refuse calls.'
const hidden = 'The site shows its tools after that.'

/** As a command that may be shown. */
const withoutSecret = <T extends object>(body: T): T =>
  'clientSecret' in body ? { ...body, clientSecret: 'the secret from the site' } : body
