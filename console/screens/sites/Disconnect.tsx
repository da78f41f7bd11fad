import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../design/Dialog.tsx'
import { notify } from '../../design/notices.ts'
import { Curl } from '../../parts/Curl.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import type { Owner } from '../../session/workspace.ts'
import { agentsInWords } from './login-words.ts'
import styles from './Site.module.css'

interface DisconnectProps {
  entry: Api['VaultEntry']
  owner: Owner
  onClose: () => void
}

const mostNamed = 10

/** Names what stops, and deletes the login. */
export const Disconnect = ({ entry, owner, onClose }: DisconnectProps) => {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const query = { ...owner.query, vaultEntryId: entry.id, limit: mostNamed }
  const users = useQuery(api.queryOptions('get', '/agents', { params: { query } }))
  const removing = api.useMutation('delete', '/vault/{entryId}', {
    async onSuccess() {
      notify('done', `“${shownText(entry.name)}” is disconnected.`)
      await navigate(to.sites(owner.address))
      await queries.invalidateQueries()
    },
  })
  const params = { path: { entryId: entry.id }, query: { force: 'true' as const } }
  return (
    <Dialog title={`Disconnect ${shownText(entry.name)}?`} isOpen onClose={onClose}>
      <p>
        The login is deleted
        {entry.authType === 'oauth2' && ', and revoked at the site if the site supports it'}. Approvals for its tools
        are withdrawn.
      </p>
      {users.data ? (
        users.data.items.length === 0 ? (
          <p>No agent uses it.</p>
        ) : (
          <>
            <p>{agentsInWords(entry.agentCount)} can no longer call its tools. Runs go on without them, and say so:</p>
            <ul className={styles.named}>
              {users.data.items.map(({ id, name }) => (
                <li key={id} className="stranger">
                  {shownText(name)}
                </li>
              ))}
              {users.data.nextCursor !== null && <li>and more</li>}
            </ul>
          </>
        )
      ) : users.error ? (
        <ErrorBox error={users.error} onRetry={() => void users.refetch()} />
      ) : (
        <Skeleton lines={2} />
      )}
      {removing.error && <ErrorBox error={removing.error} />}
      <DialogButtons>
        <Curl action={{ method: 'DELETE', path: `/vault/${entry.id}?force=true` }} />
        <Button onPress={onClose}>Cancel</Button>
        <Button
          kind="danger"
          busy={removing.isPending}
          isDisabled={!users.data}
          onPress={() => removing.mutate({ params })}
        >
          Disconnect
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
