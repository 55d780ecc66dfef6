// Signature is HMAC-SHA-256 with the gateway's own secret, and the text forms around it.

/** How long a secret is at least (RFC 7518, 3.2). */
const SECRET_BYTES = 32;

/** The secrets in HOLDFAST_JWT_SECRET, with white space between them: the first one signs, all are good. */
export function secretsOf(text = "") {
  const secrets = text.split(/\s+/).filter(Boolean).map((secret) => new TextEncoder().encode(secret));
  if (secrets.some(({ length }) => length < SECRET_BYTES)) throw new Error(`HOLDFAST_JWT_SECRET: must have ${SECRET_BYTES} bytes or more`);
  return secrets;
}

const keyOf = (secret) => crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);

/** The signature of a text, in base64url. */
export async function sign([secret], text) {
  return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(secret), new TextEncoder().encode(text))));
}

/** Tells whether one of the secrets has signed a text. */
export async function signed(secrets, text, signature) {
  const bytes = decoded(signature);
  let found = false;
  for (const secret of bytes ? secrets : []) {
    found = (await crypto.subtle.verify("HMAC", await keyOf(secret), bytes, new TextEncoder().encode(text))) || found;
  }
  return found;
}

const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

/** The bytes of base64url, or null. */
function decoded(text = "") {
  if (!/^[\w-]+$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

/** A JSON object or list as base64url. */
export const written = (value) => base64url(new TextEncoder().encode(JSON.stringify(value)));

/** The object or list that was written so, or null. */
export function parsed(text) {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(decoded(text)));
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
