import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileTrigger } from 'react-aria-components/FileTrigger'
import { to } from '../../../addresses.ts'
import { api } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import type { Owner } from '../../../session/workspace.ts'
import styles from './Connect.module.css'
import { UploadedDocuments } from './UploadedDocuments.tsx'

/** An OpenAPI document from a file, for an API whose document has no address. It is inspected next. */
export const UploadDocument = ({ owner }: { owner: Owner }) => {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const uploading = api.useMutation('post', '/documents', {
    onSuccess({ address }) {
      void queries.invalidateQueries({ queryKey: ['get', '/documents'] })
      void navigate(to.connect(owner.address, { url: address }))
    },
  })
  const upload = async (file: File | undefined) => {
    if (!file) return
    const body = { ...owner.query, name: file.name.slice(0, 100), text: await file.text() }
    uploading.mutate({ body })
  }
  return (
    <div className={styles.form}>
      <p className={styles.quiet}>An API whose OpenAPI document has no address is connected with the file.</p>
      <div>
        <FileTrigger
          acceptedFileTypes={['.json', '.yaml', '.yml']}
          onSelect={(files) => void upload(files?.[0] ?? undefined)}
        >
          <Button busy={uploading.isPending}>Upload an OpenAPI document</Button>
        </FileTrigger>
      </div>
      {uploading.error && <ErrorBox error={uploading.error} />}
      <UploadedDocuments owner={owner} />
    </div>
  )
}
