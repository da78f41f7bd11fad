import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { to } from '../../../addresses.ts'
import { api, type Api } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { Dialog, DialogButtons } from '../../../design/Dialog.tsx'
import { notify } from '../../../design/notices.ts'
import { Curl } from '../../../parts/Curl.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { numberInWords } from '../../../parts/format.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import { When } from '../../../parts/When.tsx'
import type { Owner } from '../../../session/workspace.ts'
import styles from './Catalogue.module.css'

/** The documents that the owner has uploaded: each can be inspected again, and deleted, because their number is limited. */
export const UploadedDocuments = ({ owner }: { owner: Owner }) => {
  const [deleted, setDeleted] = useState<Api['Document']>()
  const { data, error, refetch } = api.useQuery('get', '/documents', { params: { query: owner.query } })
  if (error && !data) return <ErrorBox error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={1} height={72} />
  return (
    <>
      {data.items.length > 0 && (
        <ul className={styles.list} aria-label="Uploaded documents">
          {data.items.map((document) => (
            <Row key={document.id} document={document} owner={owner.address} onDelete={() => setDeleted(document)} />
          ))}
        </ul>
      )}
      {deleted && <Delete document={deleted} onClose={() => setDeleted(undefined)} />}
    </>
  )
}

interface RowProps {
  document: Api['Document']
  owner: string
  onDelete: () => void
}

const Row = ({ document: { name, address, bytes, createdAt }, owner, onDelete }: RowProps) => (
  <li className={styles.row}>
    <div className={styles.text}>
      <p className="stranger">{shownText(name)}</p>
      <p className={styles.quiet}>
        {numberInWords(Math.ceil(bytes / 1024))} KiB, uploaded <When at={createdAt} />
      </p>
    </div>
    <Link {...to.connect(owner, { url: address })} aria-label={`Inspect ${shownText(name)}`}>
      Inspect
    </Link>
    <Button kind="quiet" aria-label={`Delete ${shownText(name)}`} onPress={onDelete}>
      Delete
    </Button>
  </li>
)

/** Says what a deletion means for sites. */
const Delete = ({ document: { id, name }, onClose }: { document: Api['Document']; onClose: () => void }) => {
  const queries = useQueryClient()
  const deleting = api.useMutation('delete', '/documents/{documentId}', {
    async onSuccess() {
      notify('done', `“${shownText(name)}” is deleted.`)
      onClose()
      await queries.invalidateQueries()
    },
  })
  return (
    <Dialog title={`Delete ${shownText(name)}?`} isOpen onClose={onClose}>
      <p>
        Sites that were connected with the document keep their tools. Other tools can no longer be chosen, and changes
        are no longer found.
      </p>
      {deleting.error && <ErrorBox error={deleting.error} />}
      <DialogButtons>
        <Curl action={{ method: 'DELETE', path: `/documents/${id}` }} />
        <Button onPress={onClose}>Cancel</Button>
        <Button
          kind="danger"
          busy={deleting.isPending}
          onPress={() => deleting.mutate({ params: { path: { documentId: id } } })}
        >
          Delete
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
