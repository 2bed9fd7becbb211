import { generate } from "selfsigned";

/** The certificate of a server on loopback, with its key and the authority that signed it. */
export interface ServerCertificate {
  readonly key: string;
  readonly certificate: string;
  /** PEM. */
  readonly authority: string;
}

const modern = { keyType: "ec", curve: "P-256", algorithm: "sha256" } as const;

/** Creates an authority, which signs a certificate for 127.0.0.1 and localhost. */
export async function loopbackCertificate(commonName: string): Promise<ServerCertificate> {
  const authority = await generate([{ name: "commonName", value: `${commonName} CA` }], {
    ...modern,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      {
        name: "keyUsage",
        keyCertSign: true,
        cRLSign: true,
        digitalSignature: true,
        critical: true,
      },
    ],
  });
  const leaf = await generate([{ name: "commonName", value: commonName }], {
    ...modern,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false },
      { name: "keyUsage", digitalSignature: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 7, ip: "127.0.0.1" },
          { type: 2, value: "localhost" },
        ],
      },
    ],
  });
  return { key: leaf.private, certificate: leaf.cert, authority: authority.cert };
}
