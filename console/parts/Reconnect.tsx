import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { api, type Api } from '../api/client.ts'
import { detailOf } from '../api/problem.ts'
import { Button } from '../design/Button.tsx'
import { Dialog, DialogButtons } from '../design/Dialog.tsx'
import { Field } from '../design/Field.tsx'
import { notify } from '../design/notices.ts'
import { Curl } from './Curl.tsx'
import { ErrorBox } from './ErrorBox.tsx'
import { HostTicks } from './HostTicks.tsx'
import { pageToReturnTo } from './returned-flow.ts'
import { shownText } from './shown-text.ts'
import { Skeleton } from './Skeleton.tsx'
import styles from './Reconnect.module.css'

type Entry = Api['VaultEntry']

/** Connects a site again: with a new token, or at the site. A site that needed no sign-in may now want either. */
export const Reconnect = ({ entryId, onClose }: { entryId: string; onClose: () => void }) => {
  const params = { path: { entryId } }
  const { data: entry, error, refetch } = useQuery(api.queryOptions('get', '/vault/{entryId}', { params }))
  return (
    <Dialog title="Reconnect a site" isOpen onClose={onClose}>
      {entry ? (
        <>
          <p className="stranger">
            <strong>{shownText(entry.name)}</strong> at {entry.origin}
          </p>
          {entry.authType !== 'oauth2' && <NewToken entry={entry} onClose={onClose} />}
          {entry.authType === 'none' && <IfOffered entry={entry} onClose={onClose} />}
          {entry.authType === 'oauth2' && <AtTheSite entry={entry} hosts={[]} onClose={onClose} />}
        </>
      ) : error ? (
        <ErrorBox error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={3} height={36} />
      )}
    </Dialog>
  )
}

interface OfEntry {
  entry: Entry
  onClose: () => void
}

/** In commands, instead of what somebody typed: a terminal keeps them. */
const placeholder = 'the token from the site'

const NewToken = ({ entry, onClose }: OfEntry) => {
  const [token, setToken] = useState('')
  const queries = useQueryClient()
  const replacing = api.useMutation('patch', '/vault/{entryId}', {
    onSuccess: async () => {
      onClose()
      notify('done', `“${shownText(entry.name)}” is connected again. Runs that waited for it continue.`)
      await queries.invalidateQueries()
    },
  })
  const problem = detailOf(replacing.error, 'token')
  const replaces = entry.authType === 'bearer'
  return (
    <Form
      className={styles.form as string}
      onSubmit={(event) => {
        event.preventDefault()
        replacing.mutate({ params: { path: { entryId: entry.id } }, body: { token: token.trim() } })
      }}
    >
      <Field
        label="Token"
        hint={`A token that the site issued. ${replaces ? 'It replaces the one in the vault, and' : 'It'} is tried at once.`}
        type="password"
        autoComplete="off"
        autoFocus
        isRequired
        value={token}
        onChange={setToken}
        problem={problem}
      />
      {replacing.error && problem === undefined && <ErrorBox error={replacing.error} />}
      <DialogButtons>
        <Curl action={{ method: 'PATCH', path: `/vault/${entry.id}`, body: { token: placeholder } }} />
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={replacing.isPending}>
          {replaces ? 'Replace token' : 'Add token'}
        </Button>
      </DialogButtons>
    </Form>
  )
}

/** What a site that needed no sign-in says about one now. */
const IfOffered = ({ entry, onClose }: OfEntry) => {
  const body = { url: entry.origin }
  const { data: site } = useQuery(api.queryOptions('post', '/vault/inspect', { body }))
  return site?.offersSignIn && <AtTheSite entry={entry} hosts={site.foreignHosts} onClose={onClose} />
}

/** The browser opens the platform's own page about the connection, which leads to the site. */
const AtTheSite = ({ entry, hosts, onClose }: OfEntry & { hosts: readonly string[] }) => {
  const [accepted, accept] = useState<readonly string[]>([])
  const starting = api.useMutation('post', '/vault/oauth/start', {
    onSuccess: ({ connectUrl }) => location.assign(connectUrl),
  })
  const trusted = hosts.length > 0 && { acceptHosts: [...accepted] }
  const body = { entryId: entry.id, returnTo: pageToReturnTo(location), ...trusted }
  return (
    <>
      <p>You sign in at the site and allow the access again. Runs that wait for the site then continue.</p>
      <HostTicks legend="Other hosts that take part" hosts={hosts} accepted={accepted} onAccept={accept} />
      {starting.error && <ErrorBox error={starting.error} />}
      <DialogButtons>
        <Curl action={{ method: 'POST', path: '/vault/oauth/start', body }} />
        <Button onPress={onClose}>Cancel</Button>
        <Button
          kind="primary"
          busy={starting.isPending}
          isDisabled={accepted.length < hosts.length}
          onPress={() => starting.mutate({ body })}
        >
          Continue to the site
        </Button>
      </DialogButtons>
    </>
  )
}
