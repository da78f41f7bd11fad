import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { api, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Check } from '../../design/Check.tsx'
import { Choice } from '../../design/Choice.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Narrow } from '../../parts/Narrow.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { accountQuery, homeOf, own, ownersOf, workspacesQuery } from '../../session/account.ts'
import { scopeWords, tickedAfter, tickedAtFirst } from './app-words.ts'
import styles from './Apps.module.css'

const route = getRouteApi('/signed-in/allow-app/$requestId')

/** Where an app sends a browser: a person decides whether it may act, for whom, and what it may do. */
export const Page = () => {
  const { requestId } = route.useParams()
  const params = { path: { requestId } }
  const asked = useQuery({ ...api.queryOptions('get', '/mcp/requests/{requestId}/details', { params }), retry: false })
  if (asked.error)
    return (
      <Narrow key="failed" title="This request does not work">
        <ErrorBox error={asked.error} />
      </Narrow>
    )
  if (!asked.data)
    return (
      <Narrow key="reading" title="Connect an app">
        <Skeleton lines={5} />
      </Narrow>
    )
  return (
    <Narrow key="shown" title="Connect an app?">
      <Words request={asked.data} />
      <Decision request={asked.data} />
    </Narrow>
  )
}

/** What is known about the app. The name is its own words, the hosts are facts. */
const Words = ({ request: { name, clientHost, redirectHost } }: { request: Api['AppRequest'] }) => (
  <>
    <p>
      {name === null ? (
        'An app that does not say its name'
      ) : (
        <>
          An app that calls itself <q className="stranger">{shownText(name)}</q>
        </>
      )}{' '}
      asks for access. Anyone can choose any name.
    </p>
    {clientHost !== null && (
      <p>
        It is published at <strong className="stranger">{shownText(clientHost)}</strong>.
      </p>
    )}
    <p>
      Your browser will return to <strong className="stranger">{shownText(redirectHost)}</strong>. Continue only if you
      have just started this in an app of yours.
    </p>
  </>
)

const Decision = ({ request }: { request: Api['AppRequest'] }) => {
  const account = useSuspenseQuery(accountQuery).data
  const workspaces = useSuspenseQuery(workspacesQuery).data
  const owners = ownersOf(account, workspaces)
  const [owner, setOwner] = useState(account === null ? own : homeOf(account))
  const [scopes, setScopes] = useState(tickedAtFirst(request.scopes))
  const params = { path: { requestId: request.id } }
  const goBack = ({ location: address }: { location: string }) => location.assign(address)
  const allowing = api.useMutation('post', '/mcp/requests/{requestId}/allow', { onSuccess: goBack })
  const refusing = api.useMutation('post', '/mcp/requests/{requestId}/refuse', { onSuccess: goBack })
  const error = allowing.error ?? refusing.error
  const body = { scopes, ...(owner === own ? {} : { workspaceId: owner }) }
  return (
    <>
      <Choice
        label="The app may act for"
        isField
        value={owner}
        options={owners.map(({ id, name }) => ({ value: id, text: name }))}
        onChoose={setOwner}
      />
      <fieldset className={styles.scopes}>
        <legend>The app may</legend>
        {request.scopes.map((scope) => (
          <Check
            key={scope}
            isSelected={scopes.includes(scope)}
            onChange={(isTicked) => setScopes(tickedAfter(request.scopes, scopes, scope, isTicked))}
          >
            {scopeWords[scope]}
          </Check>
        ))}
      </fieldset>
      {error && <ErrorBox error={error} />}
      <div className={styles.buttons}>
        <Button
          kind="primary"
          busy={allowing.isPending || allowing.isSuccess}
          isDisabled={scopes.length === 0}
          onPress={() => allowing.mutate({ params, body })}
        >
          Connect
        </Button>
        <Button busy={refusing.isPending || refusing.isSuccess} onPress={() => refusing.mutate({ params })}>
          Refuse
        </Button>
      </div>
    </>
  )
}
