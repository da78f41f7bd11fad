import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { to } from '../../../addresses.ts'
import { Button } from '../../../design/Button.tsx'
import { Field } from '../../../design/Field.tsx'
import { siteAddress } from './connect-search.ts'
import styles from './Connect.module.css'
import { inspections } from './inspect.ts'

/** The address of the site. Nothing is stored, and no login is sent, until the site is connected. */
export const AddressForm = ({ url, owner }: { url: string | undefined; owner: string }) => {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [typed, setTyped] = useState(url ?? '')
  const inspect = () => {
    const address = siteAddress(typed)
    if (address === url) void queries.invalidateQueries({ queryKey: [inspections, url] })
    else void navigate(to.connect(owner, { url: address }))
  }
  return (
    <Form
      className={styles.address as string}
      onSubmit={(event) => {
        event.preventDefault()
        inspect()
      }}
    >
      <Field
        label="Address of the site"
        hint="Switchyard reads what the site says about its tools. Nothing is stored, and no login is sent."
        type="text"
        inputMode="url"
        autoComplete="off"
        autoFocus={url === undefined}
        isRequired
        maxLength={2048}
        value={typed}
        onChange={setTyped}
      />
      <div className={styles.inspect}>
        <Button type="submit" kind={url === undefined ? 'primary' : 'secondary'}>
          {url === undefined ? 'Inspect site' : 'Inspect again'}
        </Button>
      </div>
    </Form>
  )
}
