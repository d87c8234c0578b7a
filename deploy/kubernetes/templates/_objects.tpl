{{/* Every object of base and of the components that are enabled, as it is deployed. */}}
{{- define "hongbao.objects" }}
{{- $patterns := list "base/*.yaml" }}
{{- range $component := list "route" "monitoring" "schedule" }}
{{- if (index $.Values $component).enabled }}
{{- $patterns = append $patterns (printf "components/%s/*.yaml" $component) }}
{{- end }}
{{- end }}
{{- $unused := $.Values.overrides | keys }}
{{- range $pattern := $patterns }}
{{- range $path, $text := $.Files.Glob $pattern }}
{{- range $document := regexSplit "(?m)^---$" (toString $text) -1 }}
{{- $object := fromYaml $document }}
{{- include "hongbao.deploy" (list $object $) }}
{{- $key := printf "%s/%s" $object.kind $object.metadata.name }}
{{- with index $.Values.overrides $key }}
{{- $object = mergeOverwrite $object . }}
{{- $unused = without $unused $key }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end }}
{{- with $unused }}
{{- fail (printf "overrides: the chart deploys no %s." (join " and no " .)) }}
{{- end }}
{{- end }}

{{- define "hongbao.deploy" }}
{{- $object := index . 0 }}
{{- $root := index . 1 }}
{{- $values := $root.Values }}
{{- $part := dict "app.kubernetes.io/part-of" "hongbao" }}
{{- $helm := dict "app.kubernetes.io/managed-by" $root.Release.Service "helm.sh/chart" (printf "hongbao-%s" $root.Chart.Version) }}
{{- $_ := set $object.metadata "labels" (merge (dict) ($object.metadata.labels | default dict) $part $helm) }}
{{- $programs := dict "hongbao-api" $values.api "hongbao-worker" $values.worker }}
{{- $program := index $programs $object.metadata.name | default dict }}
{{- if eq $object.kind "Deployment" }}
{{- $settings := include "hongbao.settings" $root | sha256sum }}
{{- $template := $object.spec.template }}
{{- $_ := set $template.metadata.annotations "hongbao/settings" $settings }}
{{- $_ := set (first $template.spec.topologySpreadConstraints) "whenUnsatisfiable" $values.nodes }}
{{- with $program.resources }}
{{- $container := first $template.spec.containers }}
{{- $_ := set $container "resources" (mergeOverwrite $container.resources .) }}
{{- end }}
{{- else if eq $object.kind "HorizontalPodAutoscaler" }}
{{- range $limit := list "minReplicas" "maxReplicas" }}
{{- with index $program $limit }}{{ $_ := set $object.spec $limit . }}{{ end }}
{{- end }}
{{- else if eq $object.kind "Job" }}
{{- /* Pods of jobs cannot be changed, so each revision has a job of its own. */}}
{{- $_ := set $object.metadata "name" (printf "%s-%d" $object.metadata.name $root.Release.Revision) }}
{{- else if eq $object.kind "HTTPRoute" }}
{{- $_ := set $object.spec "parentRefs" $values.route.parentRefs }}
{{- $_ := set $object.spec "hostnames" $values.route.hostnames }}
{{- end }}
{{- if has $object.kind (list "Deployment" "Job" "CronJob") }}
{{- $template := (($object.spec.jobTemplate).spec | default $object.spec).template }}
{{- $_ := set $template.metadata "labels" (merge (dict) $template.metadata.labels $part) }}
{{- with $values.pullSecrets }}
{{- $secrets := list }}
{{- range . }}{{ $secrets = append $secrets (dict "name" .) }}{{ end }}
{{- $_ := set $template.spec "imagePullSecrets" $secrets }}
{{- end }}
{{- range $container := $template.spec.containers }}
{{- if eq $container.image "hongbao" }}{{ $_ := set $container "image" (include "hongbao.image" $root) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "hongbao.image" }}
{{- with .Values.image.digest }}{{ printf "%s@%s" $.Values.image.repository . }}
{{- else }}{{ printf "%s:%s" $.Values.image.repository ($.Values.image.tag | default $.Chart.AppVersion) }}
{{- end }}
{{- end }}

{{/* Those of base, and those of the values, which decide. */}}
{{- define "hongbao.settings" }}
{{- $settings := dict "NODE_ENV" "production" }}
{{- range compact (.Files.Lines "base/settings.env") }}
{{- $setting := splitn "=" 2 . }}
{{- $_ := set $settings $setting._0 $setting._1 }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- /* A number of YAML is a float, whose text would be 1e+06. */}}
{{- $_ := set $settings $name (kindIs "float64" $value | ternary (int64 $value | toString) (toString $value)) }}
{{- end }}
{{- toYaml $settings }}
{{- end }}
