import { type ILogGroup, LogGroup, QueryDefinition, QueryString } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { type LogQuery, logQueries } from "./log-queries.ts";

/** The journal, and the cluster with the audit log. */
export interface SavedQueriesProps {
  readonly journal: ILogGroup;
  readonly clusterName: string;
}

/** A query in the language of CloudWatch Logs Insights. */
export const queryStringOf = ({ fields, filter }: LogQuery): QueryString =>
  new QueryString({ fields: [...fields], filterStatements: [filter], sort: "@timestamp desc" });

/** The saved queries of a deployment, in a folder with the name of the cluster. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, { journal, clusterName }: SavedQueriesProps) {
    super(scope, id);
    // EKS writes the audit log to this group if its logging of `audit` is on.
    const auditLog = LogGroup.fromLogGroupName(this, "Audit", `/aws/eks/${clusterName}/cluster`);
    for (const [id, query] of Object.entries(logQueries))
      new QueryDefinition(this, `${id}Query`, {
        queryDefinitionName: `EksNodeLifecycle/${clusterName}/${query.name}`,
        queryString: queryStringOf(query),
        logGroups: [query.log === "journal" ? journal : auditLog],
      });
  }
}
